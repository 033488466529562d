import type { ReadCoverage } from '../../domain/pull/missing.ts'
import { referenceOf } from '../../domain/record/record-input.ts'
import { describeDuplicate, RejectionReasons } from '../../domain/record/rejection-reasons.ts'
import { type ErrorCode, formatMessage } from '../../errors.ts'
import type { RecordElement } from '../../platform-client/records/records-chunk.ts'
import type { PullTaskPlan } from '../../storage/port/pull-store.ts'
import type { RecordRead } from '../../storage/port/record-store.ts'
import type { NewRejectedPush } from '../../storage/port/rejected-push-store.ts'
import type { RejectedPushSaver } from '../ingest/save-rejected-push.ts'

/** Of one task, this many rejected records are kept; all are counted. */
const MAX_KEPT = 100
/** Of one task, so many references of rejected records are known; more leave the read incomplete. */
const MAX_REJECTED_KNOWN = 10_000
const MAX_KEPT_BODY = 1024 * 1024

export type RejectionParts = { keeper: RejectedPushSaver }

type RejectingTask = {
  plan: Pick<PullTaskPlan, 'platform_id' | 'record_type'>
  read: Pick<RecordRead, 'pull_id' | 'mark' | 'requested_at'>
}

/** What one read brought and the hub does not store: counted, the first of it kept with the reason. */
export class Rejections {
  readonly #parts: RejectionParts
  readonly #of: RejectingTask
  readonly #reasons = new RejectionReasons()
  readonly #references = new Set<string>()
  #count = 0
  #kept = 0
  #unnamed = 0

  constructor(parts: RejectionParts, of: RejectingTask) {
    this.#parts = parts
    this.#of = of
  }

  get count(): number {
    return this.#count
  }

  inWords(): string[] {
    return this.#reasons.inWords(this.#kept)
  }

  extent(): Pick<ReadCoverage, 'rejected' | 'unnamed'> {
    return { rejected: this.#references, unnamed: this.#unnamed }
  }

  /** @returns a promise that resolves when it is stored. */
  addTooLarge(index: number): Promise<void> {
    this.#unnamed += 1
    const reason = formatMessage('invalid_record', {
      reason: `element ${index} of records is larger than 16 MiB`,
    })
    const body = JSON.stringify({ index })
    return this.#store('invalid_record', reason, () => ({ errors: {}, body, message: reason }))
  }

  /** @returns a promise that resolves when it is stored. */
  add(
    { value, index }: RecordElement,
    code: ErrorCode,
    params: Record<string, string>,
    errors: Record<string, string[]>,
  ): Promise<void> {
    this.#noteThatItIsThere(referenceOf(value))
    const reason = formatMessage(code, params)
    return this.#store(code, reason, () => ({
      errors,
      body: bodyOf(value, index).text,
      message: reason,
    }))
  }

  /**
   * Adds an element whose reference number an earlier element has. The message contains the reference number only
   * where the body does: an erasure finds it by the body.
   * @param findFirst the position of the earlier element. It is called only for a duplicate that is stored, since
   *   it may take a millisecond.
   * @returns a promise that resolves when it is stored.
   */
  addDuplicate(
    { value, index }: RecordElement,
    { position, findFirst }: { position: number; findFirst: () => number | null },
  ): Promise<void> {
    const code = 'duplicate_reference'
    return this.#store(code, formatMessage(code), () => {
      const { text, isWhole } = bodyOf(value, index)
      const reference = isWhole ? referenceOf(value) : null
      const message = describeDuplicate(reference, { first: findFirst(), position })
      return { errors: {}, body: text, message }
    })
  }

  /** The record of a rejected element is there all the same, if only it can be told which one. */
  #noteThatItIsThere(reference: string | null): void {
    if (reference === null || this.#references.size >= MAX_REJECTED_KNOWN) this.#unnamed += 1
    else this.#references.add(reference)
  }

  /** @param describe what is stored, besides the reason that rejections of this kind share. */
  async #store(
    code: ErrorCode,
    reason: string,
    describe: () => Pick<NewRejectedPush, 'errors' | 'body' | 'message'>,
  ): Promise<void> {
    this.#count += 1
    this.#reasons.note(reason)
    if (this.#kept >= MAX_KEPT) return
    this.#kept += 1
    const { plan, read } = this.#of
    await this.#parts.keeper.keep({
      ...describe(),
      code,
      cause: reason,
      platform_id: plan.platform_id,
      record_type: plan.record_type,
      method: 'pull',
      pull_id: read.pull_id,
      place: { seq: read.mark, at: read.requested_at },
      activity: null,
    })
  }
}

/** The body that is stored of an element: only its index where it is too long. */
function bodyOf(value: RecordElement['value'], index: number): { text: string; isWhole: boolean } {
  const text = JSON.stringify(value)
  const isWhole = text.length <= MAX_KEPT_BODY
  return { text: isWhole ? text : JSON.stringify({ index }), isWhole }
}
