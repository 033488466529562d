/**
 * The rejected records of a complete read, grouped by cause, and which groups an operator has accepted as exceptions, "known
 * at the source, until it changes": pure.
 */
import { hash } from 'node:crypto'
import { sha256 } from '../../lib/crypto/hash.ts'

export type RejectionGroup = {
  cause: string
  count: number
  /** A hash of all contents, whatever their order. */
  digest: string
}

/** The group of the last complete read of a module. `accepted_at` is null for a group that nobody has accepted. */
export type StoredRejectionGroup = RejectionGroup & {
  accepted_at: string | null
  accepted_by: string | null
}

/** Identifies the rejections for one reason. @param reason the same for all of them. */
export function causeOf(code: string, recordType: string | null, reason: string): string {
  return sha256(JSON.stringify([code, recordType, reason])).slice(0, 22)
}

/** The groups of a new read. A group stays accepted only if it has neither grown, nor shrunk, nor changed. */
export function keepAccepted(
  stored: readonly StoredRejectionGroup[],
  found: readonly RejectionGroup[],
): StoredRejectionGroup[] {
  return found.map((group) => {
    const same = stored.find((before) => isSameGroup(before, group))
    const { accepted_at = null, accepted_by = null } = same ?? {}
    return { ...group, accepted_at, accepted_by }
  })
}

function isSameGroup(one: RejectionGroup, other: RejectionGroup): boolean {
  return one.cause === other.cause && one.count === other.count && one.digest === other.digest
}

/** More groups, or a larger one, cannot be accepted: nobody has looked at each record. */
const MAX_GROUPS = 100
const MAX_RECORDS = 10_000
const MODULUS = 2n ** 128n

/** Groups the rejected records of one read. */
export class RejectionGroups {
  readonly #groups = new Map<string, { reason: string; count: number; sum: bigint }>()
  readonly #recordType: string
  readonly #accepted: ReadonlyMap<string, RejectionGroup>
  #others = 0
  #hasEnded = false

  constructor(recordType: string, accepted: readonly RejectionGroup[]) {
    this.#recordType = recordType
    this.#accepted = new Map(accepted.map((group) => [group.cause, group]))
  }

  /**
   * @param content returns the content of the record.
   * @returns whether the record seems to belong to an accepted group.
   */
  add(code: string, reason: string, content: () => string): boolean {
    const cause = causeOf(code, this.#recordType, reason)
    const known = this.#groups.get(cause)
    if (!known && this.#groups.size >= MAX_GROUPS) {
      this.#others += 1
      return false
    }
    const group = known ?? { reason, count: 0, sum: 0n }
    this.#groups.set(cause, group)
    group.count += 1
    if (group.count <= MAX_RECORDS) {
      group.sum = (group.sum + BigInt(`0x${hash('sha256', content()).slice(0, 32)}`)) % MODULUS
    }
    return group.count <= (this.#accepted.get(cause)?.count ?? 0)
  }

  /** Call it at the end of a complete read. Until then, a group that has not grown counts as accepted. */
  end(): void {
    this.#hasEnded = true
  }

  /** The number of records in accepted groups. */
  get accepted(): number {
    return [...this.#groups].reduce(
      (sum, [cause, { count }]) => (this.#isAccepted(cause) ? sum + count : sum),
      0,
    )
  }

  /** The reasons of the records that nobody has accepted, with their counts. `others` are counted without a reason. */
  open(): { reasons: [reason: string, count: number][]; others: number } {
    const open = [...this.#groups].filter(([cause]) => !this.#isAccepted(cause))
    return { reasons: open.map(([, { reason, count }]) => [reason, count]), others: this.#others }
  }

  /** The cause of the most records that nobody has accepted; null without any. */
  mostFrequent(): string | null {
    const open = [...this.#groups].filter(([cause]) => !this.#isAccepted(cause))
    const [most] = open.toSorted(([, one], [, other]) => other.count - one.count)
    return most?.[0] ?? null
  }

  /** The groups that can be accepted. */
  list(): RejectionGroup[] {
    return [...this.#groups]
      .filter(([, { count }]) => count <= MAX_RECORDS)
      .map(([cause, { count, sum }]) => ({ cause, count, digest: sum.toString(36) }))
  }

  #isAccepted(cause: string): boolean {
    const [group, accepted] = [this.#groups.get(cause), this.#accepted.get(cause)]
    if (!group || !accepted) return false
    if (!this.#hasEnded) return group.count <= accepted.count
    const { count, sum } = group
    return isSameGroup(accepted, { cause, count, digest: sum.toString(36) })
  }
}
