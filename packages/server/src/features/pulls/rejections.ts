import type { ReadCoverage } from '../../domain/pull/missing.ts'
import { referenceOf } from '../../domain/record/record-input.ts'
import { type RejectionGroup, RejectionGroups } from '../../domain/record/rejection-groups.ts'
import {
  describeDuplicate,
  describeReasons,
  summarizeRejections,
} from '../../domain/record/rejection-reasons.ts'
import { type ErrorCode, type FieldErrors, formatMessage, HubError } from '../../errors.ts'
import type { RecordElement } from '../../platform-client/records/records-chunk.ts'
import type { PullTaskPlan } from '../../storage/port/pull-store.ts'
import type { RecordRead, WriteRejection } from '../../storage/port/record-store.ts'
import type { NewRejectedPush } from '../../storage/port/rejected-push-store.ts'
import type { RejectedPushSaver } from '../ingest/receive-push.ts'

/** Maximum number of rejected records stored per task, of accepted groups and of others. All of them are counted. */
const MAX_STORED = 100
/** Maximum number of remembered reference numbers of rejected records. With more, the read is incomplete. */
const MAX_REFERENCES = 10_000
const MAX_STORED_BODY = 1024 * 1024

export type RejectionDeps = { rejectedPushSaver: RejectedPushSaver }

/** Why an element is rejected: the error code with its parameters, and the errors by field. */
export type Rejection = {
  code: ErrorCode
  params: Record<string, string>
  errors: FieldErrors
}

type RejectingTask = {
  plan: Pick<PullTaskPlan, 'platform_id' | 'record_type'>
  read: Pick<RecordRead, 'pull_id' | 'snapshotSeq' | 'requested_at'>
  /** The groups that an operator has accepted as exceptions. */
  accepted: readonly RejectionGroup[]
}

/** The error of a read whose further writes would all be rejected for the same reason. */
export function toAbortError(code: WriteRejection): HubError {
  return new HubError(code === 'module_not_registered' ? 'pulled_no_more' : code)
}

/** The rejected elements of one read: counts all, and stores the first ones with the reason. */
export class Rejections {
  readonly #deps: RejectionDeps
  readonly #task: RejectingTask
  readonly #groups: RejectionGroups
  readonly #references = new Set<string>()
  #count = 0
  #stored = 0
  #acceptedStored = 0
  #unidentified = 0
  #notRemembered = 0

  constructor(deps: RejectionDeps, task: RejectingTask) {
    this.#deps = deps
    this.#task = task
    this.#groups = new RejectionGroups(task.plan.record_type, task.accepted)
  }

  /** The number of rejected elements that are not accepted exceptions, and of those that are. */
  get counts(): { rejected: number; accepted: number } {
    const { accepted } = this.#groups
    return { rejected: this.#count - accepted, accepted }
  }

  /** The number of reference numbers of rejected elements. Those that are not remembered count each time. */
  get references(): number {
    return this.#references.size + this.#notRemembered
  }

  /** Call it at the end of a complete read. @returns the groups that an operator can accept. */
  end(): RejectionGroup[] {
    this.#groups.end()
    return this.#groups.list()
  }

  /** The warnings about the rejected elements, grouped by reason. Not about accepted exceptions. */
  describe(): string[] {
    return describeReasons(this.#groups.open(), this.#stored)
  }

  /** The rejected elements with their most frequent reason; null if there are only accepted exceptions, or none. */
  summarize(received: number): string | null {
    return summarizeRejections(this.#groups.open(), received)
  }

  /** The cause that {@link summarize} names. */
  mostFrequentCause(): string | null {
    return this.#groups.mostFrequent()
  }

  coverage(): Pick<ReadCoverage, 'rejected' | 'unidentified'> {
    return { rejected: this.#references, unidentified: this.#unidentified }
  }

  /** @returns a promise that resolves when the rejection is stored. */
  addTooLarge(index: number): Promise<void> {
    this.#unidentified += 1
    const reason = formatMessage('invalid_record', {
      reason: `element ${index} of records is larger than 16 MiB`,
    })
    const body = JSON.stringify({ index })
    const describe = () => ({ errors: {}, body, message: reason })
    return this.#store('invalid_record', { reason, content: () => body, describe })
  }

  /** @returns a promise that resolves when the rejection is stored. */
  add(element: RecordElement, { code, params, errors }: Rejection): Promise<void> {
    this.#addReference(referenceOf(element.value))
    const reason = formatMessage(code, params)
    const describe = () => ({ errors, body: bodyOf(element).text, message: reason })
    return this.#store(code, { reason, content: () => contentOf(element), describe })
  }

  /**
   * Adds an element that repeats the reference number of an earlier element. The message contains the reference number
   * only if the body does, because an erasure finds the message by the body.
   * @param findFirst returns the position of the earlier element. It is called only for a duplicate that is stored,
   *   since it may take a millisecond.
   * @returns a promise that resolves when the rejection is stored.
   */
  addDuplicate(
    element: RecordElement,
    { position, findFirst }: { position: number; findFirst: () => number | null },
  ): Promise<void> {
    const code = 'duplicate_reference'
    const describe = () => {
      const { text, isWhole } = bodyOf(element)
      const reference = isWhole ? referenceOf(element.value) : null
      const message = describeDuplicate(reference, { first: findFirst(), position })
      return { errors: {}, body: text, message }
    }
    const reason = formatMessage(code)
    return this.#store(code, { reason, content: () => contentOf(element), describe })
  }

  /** Remembers that the record of a rejected element is not missing. */
  #addReference(reference: string | null): void {
    if (reference !== null && this.#references.size < MAX_REFERENCES) {
      this.#references.add(reference)
      return
    }
    this.#unidentified += 1
    if (reference !== null) this.#notRemembered += 1
  }

  /** `reason` is the same for all rejections of one kind, `describe` returns the details of this one. */
  async #store(
    code: ErrorCode,
    rejection: {
      reason: string
      content: () => string
      describe: () => Pick<NewRejectedPush, 'errors' | 'body' | 'message'>
    },
  ): Promise<void> {
    const { reason, content, describe } = rejection
    this.#count += 1
    if (this.#groups.add(code, reason, content)) {
      if (this.#acceptedStored >= MAX_STORED) return
      this.#acceptedStored += 1
    } else {
      if (this.#stored >= MAX_STORED) return
      this.#stored += 1
    }
    const { plan, read } = this.#task
    await this.#deps.rejectedPushSaver.save({
      ...describe(),
      code,
      cause: reason,
      platform_id: plan.platform_id,
      record_type: plan.record_type,
      method: 'pull',
      pull_id: read.pull_id,
      request_id: null,
      position: { seq: read.snapshotSeq, at: read.requested_at },
      activity: null,
    })
  }
}

function contentOf({ value }: RecordElement): string {
  return JSON.stringify(value)
}

/** Returns the body to store for an element: only its index if the element is too long. */
function bodyOf({ value, index }: RecordElement): { text: string; isWhole: boolean } {
  const text = JSON.stringify(value)
  const isWhole = text.length <= MAX_STORED_BODY
  return { text: isWhole ? text : JSON.stringify({ index }), isWhole }
}
