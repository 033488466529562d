import type { ReadExtent } from '../../domain/missing.ts'
import { referenceOf } from '../../domain/record-input.ts'
import { describeDuplicate, RejectionReasons } from '../../domain/rejection-reasons.ts'
import { type ErrorCode, wordsFor } from '../../errors.ts'
import type { RecordElement } from '../../outgoing/records-slice.ts'
import type { PullTaskPlan } from '../../storage/port/pull-store.ts'
import type { RecordRead } from '../../storage/port/record-store.ts'
import type { NewRejectedPush } from '../../storage/port/rejected-push-store.ts'
import type { RejectedPushKeeper } from '../records/keep-rejected-push.ts'

/** Of one task, this many rejected records are kept; all are counted. */
const MAX_KEPT = 100
/** Of one task, so many references of rejected records are known; more leave the read incomplete. */
const MAX_REJECTED_KNOWN = 10_000
const MAX_KEPT_BODY = 1024 * 1024

export type RejectionParts = { keeper: RejectedPushKeeper }

/** What one read brought and the hub does not store: counted, the first of it kept with the reason. */
export class Rejections {
  readonly #parts: RejectionParts
  readonly #of: { plan: PullTaskPlan; read: RecordRead }
  readonly #reasons = new RejectionReasons()
  readonly #references = new Set<string>()
  #count = 0
  #kept = 0
  #unnamed = 0

  constructor(parts: RejectionParts, of: { plan: PullTaskPlan; read: RecordRead }) {
    this.#parts = parts
    this.#of = of
  }

  get count(): number {
    return this.#count
  }

  inWords(): string[] {
    return this.#reasons.inWords(this.#kept)
  }

  extent(): Pick<ReadExtent, 'rejected' | 'unnamed'> {
    return { rejected: this.#references, unnamed: this.#unnamed }
  }

  /** @returns a promise that resolves when it is kept. */
  addTooLarge(index: number): Promise<void> {
    this.#unnamed += 1
    const reason = `element ${index} of records is larger than 16 MiB`
    const body = JSON.stringify({ index })
    return this.#keep({ code: 'invalid_record', errors: {}, body }, { reason })
  }

  /** @returns a promise that resolves when it is kept. */
  add(
    { value, index }: RecordElement,
    code: ErrorCode,
    params: Record<string, string>,
    errors: Record<string, string[]>,
  ): Promise<void> {
    this.#noteThatItIsThere(referenceOf(value))
    return this.#keep({ code, errors, body: bodyOf(value, index).text }, params)
  }

  /**
   * Where the body is too long to be kept, the message does not name the reference either: an erasure finds it
   * by the body.
   * @returns a promise that resolves when it is kept.
   */
  addDuplicate(
    { value, index }: RecordElement,
    positions: { first: number | null; position: number },
  ): Promise<void> {
    const reference = referenceOf(value)
    const { text, isWhole } = bodyOf(value, index)
    const message =
      reference !== null && isWhole ? { message: describeDuplicate(reference, positions) } : {}
    return this.#keep({ code: 'duplicate_reference', errors: {}, body: text, ...message }, {})
  }

  /** The record of a rejected element is there all the same, if only it can be told which one. */
  #noteThatItIsThere(reference: string | null): void {
    if (reference === null || this.#references.size >= MAX_REJECTED_KNOWN) this.#unnamed += 1
    else this.#references.add(reference)
  }

  async #keep(
    rejected: Pick<NewRejectedPush, 'errors' | 'body'> & { code: ErrorCode; message?: string },
    params: Record<string, string>,
  ): Promise<void> {
    this.#count += 1
    const reason = wordsFor(rejected.code, params)
    this.#reasons.note(reason)
    if (this.#kept >= MAX_KEPT) return
    this.#kept += 1
    const { plan, read } = this.#of
    await this.#parts.keeper.keep({
      message: reason,
      cause: reason,
      ...rejected,
      platform_id: plan.platform_id,
      record_type: plan.record_type,
      method: 'pull',
      pull_id: read.pull_id,
      place: { seq: read.mark, at: read.requested_at },
      activity: null,
    })
  }
}

/** The body that is kept of an element; only where it stands where it is too long. */
function bodyOf(value: RecordElement['value'], index: number): { text: string; isWhole: boolean } {
  const text = JSON.stringify(value)
  const isWhole = text.length <= MAX_KEPT_BODY
  return { text: isWhole ? text : JSON.stringify({ index }), isWhole }
}
