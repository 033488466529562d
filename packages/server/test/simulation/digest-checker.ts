/** Checks what a hub says after it has compared digests: that both sides have the same versions, and what it read. */
import type { ModuleDigest } from '../../src/storage/port/digest-store.ts'
import type { TrackedRead } from './commit-checker.ts'
import type { DatabaseView, Row } from './database-view.ts'
import type { ServedResponse } from './platform.ts'
import { combineDigests, isInBuckets } from './platform-digest.ts'
import type { ModelModule, Registry } from './registry.ts'
import { check } from './violation.ts'

const HOUR_MS = 3_600_000

/** When the whole list of a module was last read, and whether its platform offered a digest, when a task began. */
export type DigestStart = { fullReadAt: number | null; isOffered: boolean; hubTime: number }

export class DigestChecker {
  readonly #view: DatabaseView
  readonly #registry: Registry
  readonly #storageTime: () => number
  /** The virtual time of the last push, replay or revert of each record. */
  readonly #pushed = new WeakMap<ModelModule, Map<string, number>>()
  /** The most elements without a version that a read of each module has received. */
  readonly #unversioned = new WeakMap<ModelModule, number>()
  /** The modules of which a read has found content that had changed under an equal version, since the last full read. */
  readonly #withdrawn = new WeakSet<ModelModule>()
  /** The time of the storage at the end of the last read of each module to which the platform sent the whole list, or part of it. */
  readonly #fullReads = new WeakMap<ModelModule, number>()
  /** How often the hub has said that both sides have the same versions, and how often with explained differences. */
  claims = 0
  explained = 0

  /** @param storageTime the time of the storage, which the hub saves with a read. */
  constructor(view: DatabaseView, registry: Registry, storageTime: () => number) {
    this.#storageTime = storageTime
    this.#view = view
    this.#registry = registry
  }

  addPush(module: ModelModule, reference: string): void {
    const pushed = this.#pushed.get(module) ?? new Map<string, number>()
    this.#pushed.set(module, pushed.set(reference, performance.now()))
  }

  startOf(module: ModelModule): DigestStart {
    const [row] = this.#view.query(START, module.module_id)
    return {
      fullReadAt: this.#fullReads.get(module) ?? null,
      isOffered: (row?.['digest_ms'] ?? null) !== null,
      hubTime: Date.now(),
    }
  }

  /** A read has ended successfully. */
  onFinished(read: TrackedRead, result: { mode: string; full_because: string | null }): void {
    if (read.contentAlone > 0) this.#withdrawn.add(read.module)
    else if (result.mode === 'full') this.#withdrawn.delete(read.module)
    this.#checkFullRead(read, result)
    const isWhole =
      !isOfBuckets(read) && !read.responses.some(({ response }) => response.isNotModified)
    if (isWhole) this.#fullReads.set(read.module, this.#storageTime())
  }

  /** What a read has found about a module is saved. */
  onSaved(read: TrackedRead, change: Partial<ModuleDigest>): void {
    const { module } = read
    const before = this.#unversioned.get(module) ?? 0
    const most = Math.max(before, countUnversioned(read))
    this.#unversioned.set(module, most)
    if (change.list_failed_at) this.#fullReads.set(module, Date.parse(change.list_failed_at))
    check(
      (change.unversioned ?? 0) <= most,
      `Pull ${read.pull_id} says that ${change.unversioned} records have no version instead of ${most}`,
    )
    if (change.verified_by === 'digest') this.#checkClaim(read, change)
  }

  /**
   * Whenever the hub says that both sides have the same versions, the stored records have the versions that the platform
   * listed when it computed the digest. Erased records, held ones, and missing ones that wait for a review, are counted.
   */
  #checkClaim(read: TrackedRead, claim: Partial<ModuleDigest>): void {
    const { module } = read
    const name = `${module.platform.name}/${module.record_type}`
    const label = `Pull ${read.pull_id} says that ${name} has the same versions`
    check(!this.#withdrawn.has(module), `${label}, but content has changed under an equal version`)
    const listed = combineDigests(completeDigests(read))
    check(
      claim.verified_of === listed.size,
      `${label}: ${claim.verified_of} records, but the platform has ${listed.size}`,
    )
    const rows = this.#view.query(RECORDS, module.module_id)
    const stored = new Map(rows.map((row) => [String(row['reference_number']), row]))
    const hasReview = this.#view.query(REVIEWS, module.module_id).length > 0
    let explained = 0
    for (const reference of new Set([...listed.keys(), ...stored.keys()])) {
      // What has changed since the digest was requested was not compared.
      const pushedAt = this.#pushed.get(module)?.get(reference) ?? null
      if (pushedAt !== null && pushedAt >= read.startedAt) continue
      const row = stored.get(reference)
      // The holds of a record may be of keys that the platform does not send.
      const isEqual = row !== undefined && row['version'] === listed.get(reference)
      if (!isEqual && isHeldBack(module, reference, listed.has(reference))) explained += 1
      else if (listed.has(reference) && !row) {
        check(this.#mayBeErased(read, reference), `${label}, but ${reference} is not stored`)
        explained += 1
      } else if (row && !listed.has(reference)) {
        check(hasReview, `${label}, but the platform does not have ${reference}`)
        explained += 1
      } else this.#checkVersion(read, { label, reference, row, version: listed.get(reference) })
    }
    // An operator may have erased more records since the comparison.
    const isSettled = module.platform.changedAt < read.startedAt
    const counted = claim.verified_explained ?? 0
    this.claims += 1
    if (counted > 0) this.explained += 1
    check(!isSettled || explained <= counted, `${label}, and explains ${counted} of ${explained}`)
  }

  #checkVersion(
    read: TrackedRead,
    found: {
      label: string
      reference: string
      row: Row | undefined
      version: string | null | undefined
    },
  ): void {
    const { label, reference, row, version } = found
    const stored = row?.['version'] ?? null
    if (this.#registry.isErased(read.module, reference)) return
    check(
      stored !== null && stored === version,
      `${label}, but ${reference} has the version ${stored} instead of ${version}`,
    )
  }

  #mayBeErased({ module, startedAt }: TrackedRead, reference: string): boolean {
    return this.#registry.isErased(module, reference) || module.platform.changedAt >= startedAt
  }

  /** A digest that cannot be used leads to one full read an hour, and none is sooner because it is due. */
  #checkFullRead(read: TrackedRead, result: { mode: string; full_because: string | null }): void {
    if (result.mode !== 'full' || !LIMITED.has(result.full_because ?? '')) return
    const { module, digestStart } = read
    const { fullReadAt, isOffered, hubTime } = digestStart
    if (!isOffered && completeDigests(read).length === 0) return
    // The clock may have been set back.
    const age = fullReadAt === null ? HOUR_MS : hubTime - fullReadAt
    check(
      age < 0 || age >= HOUR_MS,
      `${module.platform.name}/${module.record_type} was read in full twice in an hour: ${result.full_because}`,
    )
  }
}

/** The elements of a read that have no version, at most. */
function countUnversioned({ responses }: TrackedRead): number {
  return responses.reduce((sum, { response: { elements, nameless, repeated } }) => {
    const unversioned = elements.filter(({ version }) => version === null).length
    return sum + unversioned + nameless + repeated.length
  }, 0)
}

/** Whether a revert keeps what the platform lists of a record, or that it does not list it, out of the hub. */
function isHeldBack({ records }: ModelModule, reference: string, isListed: boolean): boolean {
  const holds = records.get(reference)?.holds ?? []
  return holds.some(({ kind }) => isListed || kind === 'absence')
}

const LIMITED: ReadonlySet<string> = new Set(['due', 'too_different', 'no_digest', 'not_stable'])

const START = 'SELECT digest_ms FROM module_digests WHERE module_id = ?'
const RECORDS = `SELECT reference_number, version FROM records
  WHERE module_id = ? AND missing_since IS NULL`
const REVIEWS = 'SELECT module_id FROM missing_reviews WHERE module_id = ? AND closed_at IS NULL'

/** Whether a read has requested buckets only, or nothing at all. */
export function isOfBuckets({ responses }: TrackedRead): boolean {
  return responses.every(({ response }) => response.prefixes !== null)
}

/** Whether a read that was of buckets requests the whole list, because the platform ignores `prefix`. */
export function beginsWholeList(read: TrackedRead, { prefixes, isNotModified }: ServedResponse) {
  return prefixes === null && !isNotModified && read.responses.length > 0 && isOfBuckets(read)
}

function completeDigests({ digests }: TrackedRead) {
  return digests.flatMap(({ response, arrivedBytes }) =>
    response.digest && response.end === 'complete' && arrivedBytes === response.body.length
      ? [response.digest]
      : [],
  )
}

/** Whether a read of buckets proves that a record is missing: the elements of its bucket give the digest. */
export function provesAbsence(read: TrackedRead, reference: string): boolean {
  const listed = combineDigests(completeDigests(read))
  const prefix = read.responses
    .flatMap(({ response }) => response.prefixes ?? [])
    .find((one) => isInBuckets(reference, [one]))
  if (listed.has(reference)) return false
  // A record that a review lists is known to be absent from a bucket that has not changed since.
  if (prefix === undefined) return read.digests.length > 0
  const elements = read.responses.flatMap(({ response, arrivedBytes }) =>
    response.elements.filter((one) => one.end <= arrivedBytes),
  )
  const inBucket = elements.filter((one) => isInBuckets(one.reference, [prefix]))
  const expected = [...listed].filter(([one]) => isInBuckets(one, [prefix]))
  return (
    inBucket.length === expected.length &&
    inBucket.every((one) => listed.get(one.reference) === one.version)
  )
}
