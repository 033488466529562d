import type { PullCounts } from '@recordhub/protocol'
import { SOURCE_KEY_PURPOSE } from '../../domain/api-key.ts'
import type { ReadExtent } from '../../domain/missing.ts'
import { noCounts } from '../../domain/pull.ts'
import { manifestTag, sourceHash } from '../../domain/record.ts'
import { checkPulled, faultsInWords, referenceOf } from '../../domain/record-input.ts'
import { type ErrorCode, HubError, wordsFor } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { GroupQueue } from '../../lib/group-queue.ts'
import { IdSet } from '../../lib/id-set.ts'
import { toInstant } from '../../lib/instant.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { PlatformClient } from '../../outgoing/platform-client.ts'
import type { RecordElement, RecordsSlice } from '../../outgoing/records-stream.ts'
import type { PlatformSource } from '../../storage/port/platform-store.ts'
import type { PullTaskPlan } from '../../storage/port/pull-store.ts'
import type { PullWrite, RecordRead } from '../../storage/port/record-store.ts'
import type { NewRejectedPush } from '../../storage/port/rejected-push-store.ts'
import type { Ingest } from '../records/ingest.ts'
import type { RejectedPushKeeper } from '../records/keep-rejected-push.ts'

/** Of one task, this many rejected records are kept; all are counted. */
const MAX_KEPT = 100
/** Of one task, so many references of rejected records are known; more leave the read incomplete. */
const MAX_REJECTED_KNOWN = 10_000
const MAX_KEPT_BODY = 1024 * 1024
const REPORT_EVERY_MS = 1000
/** While a commit is under way, so many slices of 64 KiB are read for the next ones. */
const SLICES_AHEAD = 8
/** A larger commit gains little and keeps pushes waiting. */
const SLICES_A_COMMIT = 4

export type PullTaskParts = {
  client: Pick<PlatformClient, 'openRecords'>
  ingest: Ingest
  keeper: RejectedPushKeeper
  secrets: SecretBox
  clock: Clock
  firstByteSeconds: number
}

export type PullTaskContext = {
  pull_id: number
  mark: number
  source: PlatformSource
  plan: PullTaskPlan
  signal: AbortSignal
  report: (progress: { total: number | null; counts: PullCounts }) => Promise<void>
}

/** What a read brought, whether it ended well (`error` null) or not. */
export type PullTaskOutcome = {
  total: number | null
  counts: PullCounts
  warnings: string[]
  error: unknown
  requested_at: string
  /** How many records the read met. */
  records: number
  /** What it says of the records that there are. */
  extent: ReadExtent
}

/**
 * Reads one module of one platform and stores what it brings, element by element: memory is bounded
 * by a few slices, and the platform is read no faster than its records are stored.
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
  return { ...task.progress(), error }
}

class PullTask {
  readonly #parts: PullTaskParts
  readonly #context: PullTaskContext
  readonly #read: RecordRead
  readonly #counts = noCounts()
  readonly #warnings: string[] = []
  #total: number | null = null
  readonly #rejected = new Set<string>()
  #unnamed = 0
  #kept = 0

  constructor(parts: PullTaskParts, context: PullTaskContext) {
    const { plan, pull_id, mark } = context
    this.#parts = parts
    this.#context = context
    const keys = plan.fields.map((field) => field.key)
    this.#read = {
      pull_id,
      platform_id: plan.platform_id,
      module_id: plan.module_id,
      mark,
      requested_at: toInstant(parts.clock.now()),
      manifest_keys: new Set(keys),
      manifest_tag: manifestTag(keys),
      seen: new IdSet(),
    }
  }

  progress(): Omit<PullTaskOutcome, 'error'> {
    return {
      total: this.#total,
      counts: { ...this.#counts },
      warnings: this.#warnings,
      requested_at: this.#read.requested_at,
      records: this.#read.seen.size,
      extent: {
        seen: this.#read.seen,
        rejected: this.#rejected,
        unnamed: this.#unnamed,
        pages: 1,
      },
    }
  }

  async read(): Promise<void> {
    const { source, plan, signal } = this.#context
    const target = {
      source_base_url: source.source_base_url,
      source_api_key: this.#parts.secrets.open(source.sealed_source_key, SOURCE_KEY_PURPOSE),
    }
    const { firstByteSeconds } = this.#parts
    const stream = await this.#parts.client.openRecords(target, plan.record_type, {
      signal,
      firstByteSeconds,
    })
    const storing = new GroupQueue<RecordsSlice, void>({
      handle: async (slices) => {
        await this.#store(slices)
        return slices.map(() => ({ value: undefined }))
      },
      maxGroup: SLICES_A_COMMIT,
      maxWaiting: SLICES_AHEAD,
    })
    const ahead: Promise<void>[] = []
    let reportedAt = performance.now()
    try {
      for await (const slice of stream.slices()) {
        this.#checkEnvelope(stream.envelope(), stream.path)
        const stored = storing.add(slice)
        // Waited for later; until then its failure has nobody else.
        stored.catch(() => undefined)
        ahead.push(stored)
        if (ahead.length > SLICES_AHEAD) await ahead.shift()
        if (performance.now() - reportedAt < REPORT_EVERY_MS) continue
        await this.#context.report({ total: this.#total, counts: { ...this.#counts } })
        reportedAt = performance.now()
      }
    } finally {
      // What came whole is stored, also where the answer broke off after it.
      await Promise.all(ahead)
    }
    this.#checkEnvelope(stream.envelope(), stream.path)
    this.#findWarnings(stream.contentType)
  }

  #checkEnvelope(envelope: Readonly<Record<string, unknown>>, path: string): void {
    const { success, message, platform_name, record_type, total } = envelope
    const { source, plan } = this.#context
    if (success === false) {
      const words = typeof message === 'string' ? `: ${message.slice(0, 300)}` : ''
      throw new HubError('platform_answer_invalid', {
        path,
        reason: `it says success: false${words}`,
      })
    }
    if (typeof platform_name === 'string' && platform_name !== source.platform_name) {
      throw new HubError('platform_name_differs', {
        got: platform_name,
        expected: source.platform_name,
      })
    }
    if (typeof record_type === 'string' && record_type !== plan.record_type) {
      const reason = `it holds records of "${record_type}"`
      throw new HubError('platform_answer_invalid', { path, reason })
    }
    if (typeof total === 'number' && Number.isSafeInteger(total) && total >= 0) this.#total = total
  }

  async #store(slices: RecordsSlice[]): Promise<void> {
    const elements = slices.flatMap((slice) => slice.elements)
    const tooLarge = slices.flatMap((slice) => slice.tooLarge)
    this.#counts.received += elements.length + tooLarge.length
    const rejections = tooLarge.map((index) => this.#rejectTooLarge(index))
    const writes: { write: PullWrite; element: RecordElement }[] = []
    for (const element of elements) {
      const checked = checkPulled(element.value)
      if (checked.outcome === 'valid') {
        const { reference_number, full_name, data } = checked.input
        const source_hash = sourceHash(this.#read.manifest_tag, element.bytes)
        writes.push({
          element,
          write: {
            reference_number,
            content: { source: 'pull', full_name, data, source_hash },
            read: this.#read,
          },
        })
      } else {
        const reason = faultsInWords(checked.errors)
        rejections.push(this.#reject(element, 'invalid_record', { reason }, checked.errors))
      }
    }
    const outcomes =
      writes.length > 0 ? await this.#parts.ingest.pull(writes.map(({ write }) => write)) : []
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.outcome !== 'rejected') this.#counts[outcome.outcome] += 1
      else if (outcome.code === 'duplicate_reference' || outcome.code === 'record_not_storable') {
        const element = writes[index]?.element
        if (element) rejections.push(this.#reject(element, outcome.code, {}, {}))
      } else {
        const { record_type } = this.#context.plan
        throw new HubError(outcome.code, { record_type })
      }
    }
    await Promise.all(rejections)
  }

  #rejectTooLarge(index: number): Promise<void> {
    this.#unnamed += 1
    const reason = `element ${index} of records is larger than 16 MiB`
    return this.#keep('invalid_record', { reason }, {}, JSON.stringify({ index }))
  }

  #reject(
    element: RecordElement,
    code: ErrorCode,
    params: Record<string, string>,
    errors: Record<string, string[]>,
  ): Promise<void> {
    if (code !== 'duplicate_reference') this.#noteRejected(element.value)
    const text = JSON.stringify(element.value)
    const body = text.length <= MAX_KEPT_BODY ? text : JSON.stringify({ index: element.index })
    return this.#keep(code, params, errors, body)
  }

  /** The record of a rejected element is there all the same, if only it can be told which one. */
  #noteRejected(element: unknown): void {
    const reference = referenceOf(element)
    if (reference === null || this.#rejected.size >= MAX_REJECTED_KNOWN) this.#unnamed += 1
    else this.#rejected.add(reference)
  }

  async #keep(
    code: ErrorCode,
    params: Record<string, string>,
    errors: Record<string, string[]>,
    body: string,
  ): Promise<void> {
    this.#counts.rejected += 1
    if (this.#kept >= MAX_KEPT) return
    this.#kept += 1
    const rejected: NewRejectedPush = {
      platform_id: this.#context.plan.platform_id,
      method: 'pull',
      code,
      message: wordsFor(code, params),
      errors,
      body,
      pull_id: this.#read.pull_id,
      activity: null,
    }
    await this.#parts.keeper.keep(rejected)
  }

  #findWarnings(contentType: string): void {
    const { received } = this.#counts
    if (this.#total !== null && this.#total !== received) {
      this.#warnings.push(`The answer says total ${this.#total}, but ${received} records came.`)
    }
    if (!/json/i.test(contentType)) {
      const type = contentType || 'none'
      this.#warnings.push(`The answer is JSON, but its Content-Type is ${type}.`)
    }
  }
}
