import type { PullCounts } from '@recordhub/protocol'
import { redactText } from '../../domain/platform/redact-keys.ts'
import type { ReadCoverage } from '../../domain/pull/missing.ts'
import { noCounts, storesNothing } from '../../domain/pull/pull.ts'
import {
  type CachedResponse,
  isCacheable,
  readFingerprint,
  type Validators,
} from '../../domain/pull/unchanged.ts'
import { totalDiffers } from '../../domain/record/completeness.ts'
import { referenceOf } from '../../domain/record/record-input.ts'
import type { RejectionGroup } from '../../domain/record/rejection-groups.ts'
import { toVersion } from '../../domain/record/version.ts'
import { HubError } from '../../errors.ts'
import { PositionRuns } from '../../lib/collections/position-runs.ts'
import type { Span } from '../../lib/tracing/tracer.ts'
import type { RecordElement } from '../../platform-client/records/records-chunk.ts'
import type { PagesRead, RecordsPage } from '../../platform-client/records/records-pages.ts'
import {
  describeContentType,
  describeMissingMembers,
  findEnvelopeError,
  findMissingMembers,
  totalOf,
} from '../../platform-client/records/records-stream.ts'
import type { PlatformSource } from '../../storage/port/platform-store.ts'
import type { PullTaskPlan, StartedTask, TaskProgress } from '../../storage/port/pull-store.ts'
import type { PullWrite, RecordRead, WriteOutcome } from '../../storage/port/record-store.ts'
import { type Rejection, type Rejections, toAbortError } from './rejections.ts'
import { VersionTally } from './version-tally.ts'

export type PullTaskContext = StartedTask & {
  pull_id: number
  source: PlatformSource
  plan: PullTaskPlan
  signal: AbortSignal
  /** The time limit until the first byte of each page. */
  firstByteSeconds: number
  /** The deadline for retries, in the time of `performance.now()`; null for no retries. */
  retryUntil: number | null
  /** Null if the task is not traced. */
  span: Span | null
  /** The prefixes of the buckets to read, one list for each request; null for a read of the whole list. */
  selections: readonly (readonly string[])[] | null
  /** Whether unchanged elements are read, too. */
  readsAll: boolean
  report: (progress: TaskProgress) => Promise<void>
}

/** The result of the read of a module. */
export type PullTaskOutcome = {
  total: number | null
  counts: PullCounts
  warnings: string[]
  /** How many elements were rejected, with the most frequent reason; null without rejections. */
  rejection_summary: string | null
  /** The cause of these rejections, for a read that stored none of its elements; otherwise null. */
  error_cause: string | null
  /** Null for a read that ended without an error. */
  error: unknown
  requested_at: string
  /** Whether every page that was read has `success: true`, without which the read proves nothing. */
  reportsSuccess: boolean
  /** The number of records that the response contained. After a 304 response, that of the cached response. */
  records: number
  /** The response for the next conditional request; null for none. */
  cached_response: CachedResponse | null
  /** The rejected elements by cause; null after a read that failed or received no body. */
  rejection_groups: RejectionGroup[] | null
  coverage: ReadCoverage
  /** The number of elements of which holds have kept a part out. */
  held: number
  tally: VersionTally
  /** The size of the elements. */
  bytes: number
  /** How long the hub has waited for responses to begin, in milliseconds. */
  waitedMs: number
}

/** The elements of a batch that are written, and those that are rejected before. */
export type ValidatedElements = {
  writes: WrittenElement[]
  rejected: { element: RecordElement; rejection: Rejection }[]
}
type WrittenElement = { element: RecordElement; write: PullWrite }

/** Each page may cause another warning, such as by its Content-Type. */
const MAX_WARNINGS = 20
const MORE_WARNINGS = 'Further warnings about the content are left out.'

/** Accumulates the result of a task. Every stage of the pipeline adds to it. */
export class PullTaskAccumulator {
  readonly read: RecordRead
  readonly rejections: Rejections
  /** The positions of the elements by the ids of their records, to describe duplicates. */
  readonly positions = new PositionRuns()
  /** Since when a response is awaited; null if none is awaited for long. */
  waitingSince: string | null = null
  /** How long responses were awaited, in milliseconds. */
  waitedMs = 0
  readonly #tally: VersionTally
  #bytes = 0
  /** The buckets of the current request; null for the whole list. */
  #prefixes: readonly string[] | null = null
  /** The number of elements before the current request. */
  #receivedBefore = 0
  readonly #context: PullTaskContext
  readonly #counts = noCounts()
  /** Warnings about the content. With one of them, the response is not used for a conditional request. */
  readonly #warnings: string[] = []
  /** The required members that the response, or one of its pages, lacks. */
  readonly #missingMembers = new Set<string>()
  /** The reference numbers of elements that are not stored because their record was erased. */
  readonly #erased = new Set<string>()
  /** The number of elements of which holds have kept a part out. */
  #held = 0
  #total: number | null = null
  #pages = 0
  /** The number of elements on the pages before the current one. */
  #elementsBefore = 0
  #validators: Validators | null = null
  /** The cached response that a 304 response confirmed. */
  #confirmed: CachedResponse | null = null

  constructor(context: PullTaskContext, read: RecordRead, rejections: Rejections) {
    this.read = read
    this.rejections = rejections
    this.#context = context
    this.#tally = new VersionTally(context.selections?.flat() ?? [])
  }

  /** The cached response to request conditionally; null if the manifest or the source has changed since. */
  get cachedResponse(): CachedResponse | null {
    const { cached_response } = this.#context
    return cached_response?.read_fingerprint === this.#fingerprint() ? cached_response : null
  }

  get elementsBefore(): number {
    return this.#elementsBefore
  }

  get counts(): PullCounts {
    return { ...this.#counts, ...this.rejections.counts }
  }

  get total(): number | null {
    return this.#total
  }

  /** What the pages have contained so far. Every write of them must have been added. */
  get pagesRead(): PagesRead {
    const { seen, stillMissing } = this.read
    const references =
      seen.size + stillMissing.size + this.rejections.references + this.#erased.size
    return { received: this.#counts.received, references, total: this.#total }
  }

  addNotModified(): void {
    const cached = this.cachedResponse
    this.#confirmed = cached
    for (const member of cached?.missing_members ?? []) this.#missingMembers.add(member)
    this.#counts.received = cached?.records ?? 0
    this.#counts.unchanged = this.#counts.received
  }

  /** Begins a list of some buckets. */
  beginList(prefixes: readonly string[]): void {
    this.#prefixes = prefixes
    this.#receivedBefore = this.#counts.received
  }

  beginPage({ number, validators }: RecordsPage): void {
    if (number === 1) this.#validators = this.#prefixes ? null : validators
    this.#pages = number
    this.#elementsBefore = this.#counts.received
  }

  /** @throws HubError when the response is of another platform or module, or reports a failure. */
  addEnvelope(page: RecordsPage): void {
    const envelope = page.envelope()
    const { platform_name } = this.#context.source
    const { record_type } = this.#context.plan
    const error = findEnvelopeError(envelope, { platform_name, record_type }, page)
    if (error) throw error
    // The total of some buckets is compared with their digest.
    if (!this.#prefixes) this.#total = totalOf(envelope) ?? this.#total
  }

  /** @throws HubError as {@link addEnvelope}. */
  endPage(page: RecordsPage): void {
    this.addEnvelope(page)
    for (const member of findMissingMembers(page.envelope())) {
      // One page gives the total of all pages.
      if (member === 'total' && (this.#total !== null || this.#prefixes)) continue
      this.#missingMembers.add(member)
    }
    const warning = describeContentType(page)
    if (warning !== null) this.warn(warning)
  }

  /** Adds a warning about the content, once. The last one of the limited number says that others are left out. */
  warn(warning: string): void {
    const count = this.#warnings.length
    if (count >= MAX_WARNINGS || this.#warnings.includes(warning)) return
    this.#warnings.push(count === MAX_WARNINGS - 1 ? MORE_WARNINGS : warning)
  }

  /** @throws HubError `platform_ignores_prefix` after a list of buckets without a record and without "prefix". */
  endPages(page: RecordsPage): void {
    const { received } = this.#counts
    if (this.#prefixes) {
      const isEmpty = received === this.#receivedBefore
      if (!isEmpty || page.envelope()['prefix'] === this.#prefixes.join(',')) return
      throw new HubError('platform_ignores_prefix', { path: page.path })
    }
    if (!totalDiffers(this.#total, received)) return
    this.warn(
      `The response reports a total of ${this.#total}, but the number of records received is ${received}.`,
    )
  }

  /**
   * Adds the elements of a batch before they are stored.
   * @throws HubError `platform_ignores_prefix` for an element that was not requested.
   */
  addElements(batch: ValidatedElements & { tooLarge: number }, path: string): void {
    const { writes, rejected, tooLarge } = batch
    this.#tally.unidentified += tooLarge
    for (const { write } of writes) {
      const { reference_number, content } = write
      this.#tally.addElement({ reference_number, version: content.version }, path)
    }
    for (const { element } of rejected) {
      const identity = identityOf(element)
      this.#tally.addElement(identity, path)
      this.#tally.addNotStored(identity.reference_number, identity.version, false)
    }
  }

  addBytes(bytes: number): void {
    this.#bytes += bytes
  }

  addReceived({ unchanged, others }: { unchanged: number; others: number }): void {
    this.#counts.received += unchanged + others
    this.#counts.unchanged += unchanged
  }

  /**
   * Adds the outcome of a write.
   * @returns a promise that resolves when the rejection of the element is stored; null without a rejection.
   * @throws HubError when every further write of the read would be rejected.
   */
  addOutcome({ element, write }: WrittenElement, outcome: WriteOutcome): Promise<void> | null {
    const { reference_number, content } = write
    const { version } = content
    if (outcome.outcome === 'rejected') {
      this.#tally.addNotStored(reference_number, version, outcome.code === 'record_erased')
    } else if (outcome.is_held) {
      this.#tally.addHeld({ reference_number, version }, this.read.seen.has(outcome.record_id))
    } else this.#tally.addStored({ reference_number, version }, outcome)
    const position = this.#elementsBefore + element.index + 1
    if (outcome.outcome !== 'rejected') {
      this.#counts[outcome.outcome] += 1
      if (outcome.is_held) this.#held += 1
      this.positions.add(outcome.record_id, position)
      return null
    }
    const { code } = outcome
    if (code === 'duplicate_reference') {
      const findFirst = () => this.positions.find(outcome.record_id)
      return this.rejections.addDuplicate(element, { position, findFirst })
    }
    if (code === 'record_not_storable' || code === 'too_many_keys') {
      return this.rejections.add(element, { code, params: {}, errors: {} })
    }
    if (code !== 'record_erased') throw toAbortError(code)
    // The hub does not store erased records. That is not an error of the platform.
    this.#counts.unchanged += 1
    this.#erased.add(referenceOf(element.value) ?? '')
    return null
  }

  /** @param sourceKey the key of the request, which the platform may quote; "" if it was not sent. */
  toOutcome(error: unknown, sourceKey: string): PullTaskOutcome {
    const { read } = this
    const isComplete = error === null
    // The groups are those of the whole list.
    const isWhole = this.#context.selections === null
    const isRead = isComplete && isWhole && this.#pages > 0
    const rejection_groups = isRead ? this.rejections.end() : null
    const missingMembers = describeMissingMembers(this.#missingMembers)
    const warnings = [
      ...this.#warnings,
      ...(missingMembers === null ? [] : [missingMembers]),
      ...this.rejections.describe(),
    ]
    const summary = this.rejections.summarize(this.#counts.received)
    const rejection_summary = summary && redactText(summary, [sourceKey])
    const isRejected =
      isComplete && isWhole && rejection_summary !== null && storesNothing(this.counts)
    return {
      error: isRejected ? new HubError('no_record_stored', { reason: rejection_summary }) : error,
      error_cause: isRejected ? this.rejections.mostFrequentCause() : null,
      total: this.#total,
      counts: this.counts,
      rejection_summary,
      warnings: warnings.map((warning) => redactText(warning, [sourceKey])),
      requested_at: read.requested_at,
      reportsSuccess: this.#reportsSuccess,
      records: this.#confirmed?.records ?? read.seen.size,
      cached_response: this.#toCachedResponse(isComplete && this.#reportsSuccess),
      rejection_groups,
      held: this.#held,
      coverage: {
        ...{ seen: read.seen, stillMissing: read.stillMissing, pages: this.#pages },
        ...this.rejections.coverage(),
      },
      tally: this.#tally,
      bytes: this.#bytes,
      waitedMs: this.waitedMs,
    }
  }

  get #reportsSuccess(): boolean {
    return !this.#missingMembers.has('success')
  }

  #toCachedResponse(isComplete: boolean): CachedResponse | null {
    // As long as no page has arrived, the cached response is as valid as before.
    if (this.#pages === 0) return this.#confirmed ?? this.cachedResponse
    const { stale, rejected, accepted } = this.counts
    const warnings = this.#warnings.length
    const problems = { stale, held: this.#held, rejected: rejected + accepted, warnings }
    const result = { isComplete, pages: this.#pages, ...problems }
    if (!this.#validators || !isCacheable(result)) return null
    return {
      ...this.#validators,
      read_fingerprint: this.#fingerprint(),
      records: this.read.seen.size,
      version: this.#context.version,
      missing_members: [...this.#missingMembers],
    }
  }

  #fingerprint(): string {
    const { source_base_url } = this.#context.source
    return readFingerprint({ manifest_hash: this.read.manifest_hash, source_base_url })
  }
}

/** The reference and the version of an element that may be invalid otherwise. */
function identityOf({ record, value }: RecordElement) {
  if (record) return { reference_number: record.reference_number, version: record.version }
  const version = toVersion(Object(value)['version'])
  return { reference_number: referenceOf(value), version }
}
