import type { PullCounts } from '@recordhub/protocol'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { redactText } from '../../domain/platform/redact-keys.ts'
import {
  type CachedResponse,
  isCacheable,
  readTag,
  type Validators,
} from '../../domain/pull/cached-response.ts'
import type { ReadCoverage } from '../../domain/pull/missing.ts'
import { noCounts } from '../../domain/pull/pull.ts'
import {
  findDrift,
  type ManifestKeys,
  rejectDrift,
  toManifestKeys,
} from '../../domain/record/drift.ts'
import { manifestHash } from '../../domain/record/record.ts'
import { checkPulled, formatErrors } from '../../domain/record/record-input.ts'
import { HubError } from '../../errors.ts'
import { IdBitset } from '../../lib/collections/id-bitset.ts'
import { PositionRuns } from '../../lib/collections/position-runs.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { formatRfc3339 } from '../../lib/time/rfc3339.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import type { RecordElement, RecordsChunk } from '../../platform-client/records/records-chunk.ts'
import {
  describeMissingMembers,
  findEnvelopeError,
  findMissingMembers,
  totalOf,
} from '../../platform-client/records/records-envelope.ts'
import type { RecordsPage } from '../../platform-client/records/records-pages.ts'
import { quoteRedacted, withRedactedKey } from '../../platform-client/request/redact-key.ts'
import type { CallTarget } from '../../platform-client/request/send-request.ts'
import type { PlatformSource } from '../../storage/port/platform-store.ts'
import type { PullTaskPlan, StartedTask } from '../../storage/port/pull-store.ts'
import type { PullWrite, RecordRead, RecordStore } from '../../storage/port/record-store.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { toAbortError } from './abort-error.ts'
import { ProgressReporter } from './progress-reporter.ts'
import { type RejectionParts, Rejections } from './rejections.ts'
import { UnchangedFilter } from './unchanged-filter.ts'
import { withPageContext } from './with-page-context.ts'
import { WriteBuffer } from './write-buffer.ts'

const REPORT_EVERY_MS = 1000
/** Of a Content-Type, so much is quoted. */
const MAX_QUOTED = 200

export type PullTaskParts = RejectionParts & {
  secrets: SecretBox
  client: Pick<PlatformClient, 'openRecords'>
  ingest: Ingest
  records: Pick<RecordStore, 'findUnchanged'>
  clock: Clock
  firstByteSeconds: number
}

export type PullTaskContext = StartedTask & {
  pull_id: number
  source: PlatformSource
  plan: PullTaskPlan
  signal: AbortSignal
  /** When the pull's time is over, by `performance.now()`; null where nothing is asked twice. */
  endsAt: number | null
  report: (progress: { total: number | null; counts: PullCounts }) => Promise<void>
}

/** What a read brought, whether it ended well (`error` null) or not. */
export type PullTaskOutcome = {
  total: number | null
  counts: PullCounts
  warnings: string[]
  error: unknown
  requested_at: string
  /** How many records the read met, or, where the answer still holds, had met. */
  records: number
  /** The answer to ask after the next time; null for none. */
  kept: CachedResponse | null
  /** What it says of the records that there are. */
  extent: ReadCoverage
}

/**
 * Reads one module of one platform and stores what it brings, element by element: memory is bounded
 * by its largest element and half a megabyte, and the platform is read no faster than its records are stored.
 */
export async function runPullTask(
  parts: PullTaskParts,
  context: PullTaskContext,
): Promise<PullTaskOutcome> {
  const task = new PullTask(parts, context)
  let error: unknown = null
  try {
    await task.read()
  } catch (thrown) {
    error = thrown
  }
  return { ...task.progress(), kept: task.answerToKeep(error === null), error }
}

class PullTask {
  readonly #parts: PullTaskParts
  readonly #context: PullTaskContext
  readonly #keys: ManifestKeys
  readonly #read: RecordRead
  readonly #reader: UnchangedFilter
  readonly #positions = new PositionRuns()
  readonly #counts = noCounts()
  /** Warnings about content, after which the response is not used for a conditional request. */
  readonly #warnings: string[] = []
  /** The members that the response, or one of its pages, lacks beside its records. */
  readonly #missingMembers = new Set<string>()
  /** That the platform may quote; "" as long as it has not been sent. */
  #sourceKey = ''
  #total: number | null = null
  readonly #rejections: Rejections
  #pages = 0
  /** Number of elements on the pages before this one. */
  #before = 0
  readonly #reporter: ProgressReporter
  /** Set where the platform said that this answer still holds. */
  #holds: CachedResponse | null = null
  #validators: Validators | null = null

  constructor(parts: PullTaskParts, context: PullTaskContext) {
    const { plan, pull_id, mark } = context
    this.#parts = parts
    this.#context = context
    this.#keys = toManifestKeys(plan.fields)
    this.#read = {
      pull_id,
      platform_id: plan.platform_id,
      module_id: plan.module_id,
      snapshotSeq: mark,
      requested_at: formatRfc3339(parts.clock.now()),
      manifest_keys: this.#keys.known,
      manifest_hash: manifestHash(this.#keys.known),
      seen: new IdBitset(),
    }
    this.#reader = new UnchangedFilter(parts.records, this.#read, this.#positions)
    this.#rejections = new Rejections(parts, { plan, read: this.#read })
    this.#reporter = new ProgressReporter(
      () => context.report({ total: this.#total, counts: this.#countsSoFar() }),
      REPORT_EVERY_MS,
    )
  }

  progress(): Omit<PullTaskOutcome, 'error' | 'kept'> {
    return {
      total: this.#total,
      counts: this.#countsSoFar(),
      warnings: [...this.#warnings, ...this.#envelopeWarnings(), ...this.#rejections.inWords()].map(
        (warning) => redactText(warning, [this.#sourceKey]),
      ),
      requested_at: this.#read.requested_at,
      records: this.#holds?.records ?? this.#read.seen.size,
      extent: {
        seen: this.#read.seen,
        ...this.#rejections.extent(),
        pages: this.#pages,
      },
    }
  }

  #envelopeWarnings(): string[] {
    const warning = describeMissingMembers(this.#missingMembers)
    return warning === null ? [] : [warning]
  }

  #countsSoFar(): PullCounts {
    return { ...this.#counts, rejected: this.#rejections.count }
  }

  answerToKeep(isComplete: boolean): CachedResponse | null {
    // As long as nothing has come, what was kept holds as well as before.
    if (this.#pages === 0) return this.#holds ?? this.#answerToAskAfter()
    const { stale, rejected } = this.#countsSoFar()
    const warnings = this.#warnings.length
    const result = { isComplete, pages: this.#pages, stale, rejected, warnings }
    if (!this.#validators || !isCacheable(result)) return null
    const { pushes } = this.#context
    const records = this.#read.seen.size
    const missing_members = [...this.#missingMembers]
    return { ...this.#validators, read_tag: this.#readTag(), records, pushes, missing_members }
  }

  async read(): Promise<void> {
    const { source_base_url, sealed_source_key } = this.#context.source
    const source_api_key = this.#parts.secrets.open(sealed_source_key, SOURCE_KEY_PURPOSE)
    this.#sourceKey = source_api_key
    try {
      await withRedactedKey(source_api_key, () =>
        this.#readFrom({ source_base_url, source_api_key }),
      )
    } finally {
      await this.#reporter.stop()
    }
  }

  async #readFrom(target: CallTarget): Promise<void> {
    const { plan, signal, endsAt } = this.#context
    const { firstByteSeconds } = this.#parts
    const asksAfter = this.#answerToAskAfter()
    const options = { signal, firstByteSeconds, endsAt, validators: asksAfter }
    let page = await this.#parts.client.openRecords(target, plan.record_type, options)
    if (!page) return this.#noteThatItHolds(asksAfter)
    this.#validators = page.validators
    while (page) {
      const current: RecordsPage = page
      this.#pages = current.number
      await withPageContext(current.number, () => this.#readPage(current))
      page = await withPageContext(current.number + 1, current.next)
    }
    this.#compareTotal()
  }

  #answerToAskAfter(): CachedResponse | null {
    const { kept } = this.#context
    return kept?.read_tag === this.#readTag() ? kept : null
  }

  #readTag(): string {
    const { source_base_url } = this.#context.source
    return readTag({ manifest_tag: this.#read.manifest_hash, source_base_url })
  }

  #noteThatItHolds(answer: CachedResponse | null): void {
    this.#holds = answer
    for (const member of answer?.missing_members ?? []) this.#missingMembers.add(member)
    this.#counts.received = answer?.records ?? 0
    this.#counts.unchanged = this.#counts.received
  }

  async #readPage(page: RecordsPage): Promise<void> {
    this.#before = this.#counts.received
    const storing = new WriteBuffer(async (slices) => {
      await this.#store(slices, page.path)
      for (const slice of slices) page.release(slice)
    }, this.#parts.ingest.hasPushes)
    try {
      for await (const slice of page.chunks()) {
        this.#checkEnvelope(page)
        await storing.add(slice)
      }
    } catch (error) {
      // What came whole is stored, also where the answer broke off after it.
      await storing.end().catch(() => undefined)
      throw error
    }
    await storing.end()
    this.#checkEnvelope(page)
    for (const member of findMissingMembers(page.envelope())) {
      // One page gives the total of all pages.
      if (member !== 'total' || this.#total === null) this.#missingMembers.add(member)
    }
    this.#checkType(page)
  }

  #checkEnvelope(page: RecordsPage): void {
    const envelope = page.envelope()
    const { platform_name } = this.#context.source
    const { record_type } = this.#context.plan
    const fault = findEnvelopeError(envelope, { platform_name, record_type }, page)
    if (fault) throw fault
    this.#total = totalOf(envelope) ?? this.#total
  }

  async #store(slices: RecordsChunk[], path: string): Promise<void> {
    const { elements, unchanged, error } = await this.#reader.read(slices, this.#before)
    const tooLarge = slices.flatMap((slice) => slice.tooLarge)
    this.#counts.received += unchanged + elements.length + tooLarge.length
    this.#counts.unchanged += unchanged
    const rejections = tooLarge.map((index) => this.#rejections.addTooLarge(index))
    const writes: { write: PullWrite; element: RecordElement }[] = []
    for (const element of elements) {
      const checked = checkPulled(element.value)
      if (checked.outcome === 'valid') {
        const { reference_number, full_name, data } = checked.input
        const { source_hash } = element
        const drift = findDrift(data, this.#keys, { isWhole: true })
        const refused = rejectDrift(drift, this.#context.plan.drift_policy)
        if (refused) {
          const { reason, errors } = refused
          rejections.push(this.#rejections.add(element, 'drift_rejected', { reason }, errors))
          continue
        }
        writes.push({
          element,
          write: {
            reference_number,
            content: { source: 'pull', full_name, data, source_hash },
            read: this.#read,
            ...(drift ? { drift } : {}),
          },
        })
      } else {
        const reason = formatErrors(checked.errors)
        rejections.push(this.#rejections.add(element, 'invalid_record', { reason }, checked.errors))
      }
    }
    const outcomes =
      writes.length > 0 ? await this.#parts.ingest.pull(writes.map(({ write }) => write)) : []
    for (const [index, outcome] of outcomes.entries()) {
      const element = writes[index]?.element
      if (!element) continue
      const position = this.#before + element.index + 1
      if (outcome.outcome !== 'rejected') {
        this.#counts[outcome.outcome] += 1
        this.#positions.add(outcome.record_id, position)
      } else if (outcome.code === 'duplicate_reference') {
        const findFirst = () => this.#positions.find(outcome.record_id)
        rejections.push(this.#rejections.addDuplicate(element, { position, findFirst }))
      } else if (outcome.code === 'record_not_storable') {
        rejections.push(this.#rejections.add(element, outcome.code, {}, {}))
      }
      // What the hub holds of it stays nothing, at this read as at the next one: no fault of the platform's.
      else if (outcome.code === 'record_erased') this.#counts.unchanged += 1
      else throw toAbortError(outcome.code)
    }
    await Promise.all(rejections)
    this.#reporter.changed()
    if (error !== null) throw new HubError('platform_answer_invalid', { path, reason: error })
  }

  #compareTotal(): void {
    const { received } = this.#counts
    if (this.#total === null || this.#total === received) return
    this.#warnings.push(
      `The response reports a total of ${this.#total}, but the number of records received is ${received}.`,
    )
  }

  #checkType({ contentType, key }: RecordsPage): void {
    if (/json/i.test(contentType)) return
    const warning = `The answer is JSON, but its Content-Type is ${quoteRedacted(contentType, key, MAX_QUOTED) || 'none'}.`
    if (!this.#warnings.includes(warning)) this.#warnings.push(warning)
  }
}
