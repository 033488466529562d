/**
 * Reads one module of one platform. The read is a pipeline of four stages:
 *
 *   fetch     requests the pages of the response and yields the elements of `records` in chunks, unparsed
 *   filter    recognises elements whose record is unchanged by the hash of their bytes, and reads the others
 *   validate  turns each of these into a write or a rejection
 *   write     applies the writes of some chunks in one commit
 *
 * All stages add to one `PullTaskAccumulator`. The write buffer runs the stages of different batches at the same time:
 * while one is written, the next one is filtered and validated, and the chunks after it are fetched. Memory is bounded
 * by the largest element and three batches: the platform is read no faster than its records are stored.
 */
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { manifestHash } from '../../domain/pull/unchanged.ts'
import {
  type Drift,
  findDrift,
  type ManifestKeys,
  rejectDrift,
  toManifestKeys,
} from '../../domain/record/drift.ts'
import {
  checkPulled,
  formatErrors,
  limitKeys,
  type PulledInput,
} from '../../domain/record/record-input.ts'
import { type FieldErrors, HubError } from '../../errors.ts'
import { IdBitset } from '../../lib/collections/id-bitset.ts'
import { formatRfc3339 } from '../../lib/time/rfc3339.ts'
import { startStopwatch } from '../../lib/time/stopwatch.ts'
import type { RecordElement, RecordsChunk } from '../../platform-client/records/records-chunk.ts'
import type { RecordsPage } from '../../platform-client/records/records-pages.ts'
import { withRedactedKey } from '../../platform-client/request/error-message.ts'
import type { CallTarget } from '../../platform-client/request/send-request.ts'
import type { PullWrite, RecordRead } from '../../storage/port/record-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { ProgressReporter } from './progress-reporter.ts'
import {
  PullTaskAccumulator,
  type PullTaskContext,
  type PullTaskOutcome,
  type ValidatedElements,
} from './pull-task-accumulator.ts'
import { type Rejection, type RejectionDeps, Rejections } from './rejections.ts'
import { type FilteredElement, type FilteredElements, UnchangedFilter } from './unchanged-filter.ts'
import { WriteBuffer } from './write-buffer.ts'

const REPORT_EVERY_MS = 1000

export type PullTaskDeps = RejectionDeps &
  Pick<FeatureDeps, 'secrets' | 'client' | 'records' | 'clock'> & { ingest: Ingest }

/** The stages of one read and their state. */
type Pipeline = {
  deps: PullTaskDeps
  context: PullTaskContext
  keys: ManifestKeys
  filter: UnchangedFilter
  reporter: ProgressReporter
  result: PullTaskAccumulator
}

/** A batch whose elements are validated. */
type PreparedChunks = ValidatedElements & { filtered: FilteredElements }

/** Never rejects: an error is part of the outcome, with what was read and stored before it. */
export async function runPullTask(
  deps: PullTaskDeps,
  context: PullTaskContext,
): Promise<PullTaskOutcome> {
  const pipeline = createPipeline(deps, context)
  const { result, reporter } = pipeline
  const { source_base_url, encrypted_source_key } = context.source
  let sourceKey = ''
  let error: unknown = null
  try {
    const source_api_key = deps.secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
    sourceKey = source_api_key
    const target = { source_base_url, source_api_key }
    await withRedactedKey(source_api_key, () => fetchLists(pipeline, target))
  } catch (thrown) {
    error = thrown
  }
  await reporter.stop()
  return result.toOutcome(error, sourceKey)
}

function createPipeline(deps: PullTaskDeps, context: PullTaskContext): Pipeline {
  const { plan, pull_id, snapshotSeq, report } = context
  const keys = toManifestKeys(plan.fields)
  const read: RecordRead = {
    pull_id,
    platform_id: plan.platform_id,
    module_id: plan.module_id,
    snapshotSeq,
    requested_at: formatRfc3339(deps.clock.now()),
    manifest_keys: keys.known,
    manifest_hash: manifestHash(keys.known),
    seen: new IdBitset(),
    stillMissing: new IdBitset(),
  }
  const task = { plan, read, accepted: context.accepted_rejections }
  const result = new PullTaskAccumulator(context, read, new Rejections(deps, task))
  const filter = new UnchangedFilter(deps.records, read, result.positions, {
    readsAll: context.readsAll,
  })
  const reportProgress = () => {
    const { total, counts, waitingSince: waiting_since } = result
    return report({ total, counts, waiting_since })
  }
  const reporter = new ProgressReporter(reportProgress, REPORT_EVERY_MS)
  return { deps, context, keys, filter, reporter, result }
}

/** Requests the whole list, or that of each selection of buckets. */
async function fetchLists(pipeline: Pipeline, target: CallTarget): Promise<void> {
  const { context, result } = pipeline
  if (!context.selections) return fetchPages(pipeline, target, null)
  for (const prefixes of context.selections) {
    result.beginList(prefixes)
    await fetchPages(pipeline, target, prefixes)
  }
}

/** @param prefixes of the buckets to request; null for the whole list. */
async function fetchPages(
  pipeline: Pipeline,
  target: CallTarget,
  prefixes: readonly string[] | null,
): Promise<void> {
  const { deps, context, result } = pipeline
  const { plan, signal, firstByteSeconds, retryUntil, span } = context
  const validators = prefixes ? null : result.cachedResponse
  const options = { signal, firstByteSeconds, retryUntil, validators, prefixes }
  let begun = performance.now()
  let page = await awaitResponse(pipeline, () =>
    deps.client.openRecords(target, plan.record_type, options),
  )
  if (!page) {
    span?.addChild('fetch', begun, performance.now())
    return result.addNotModified()
  }
  let last: RecordsPage = page
  while (page) {
    last = page
    const current: RecordsPage = page
    await withPageContext(current.number, () => fetchPage(pipeline, current, begun))
    begun = performance.now()
    page = await withPageContext(current.number + 1, () =>
      awaitResponse(pipeline, () =>
        current.next(result.pagesRead, (warning) => result.warn(warning)),
      ),
    )
  }
  result.endPages(last)
}

/** Requests a page, and reports a wait of more than a second. */
async function awaitResponse<Result>(
  { deps, reporter, result }: Pipeline,
  request: () => Promise<Result>,
): Promise<Result> {
  const since = formatRfc3339(deps.clock.now())
  const elapsed = startStopwatch(deps.clock)
  const timer = setTimeout(() => {
    result.waitingSince = since
    reporter.changed()
  }, REPORT_EVERY_MS)
  try {
    return await request()
  } finally {
    clearTimeout(timer)
    result.waitedMs += elapsed()
    const isReported = result.waitingSince !== null
    result.waitingSince = null
    if (isReported) reporter.changed()
  }
}

/** @param begun when the page was requested. */
async function fetchPage(pipeline: Pipeline, page: RecordsPage, begun: number): Promise<void> {
  const { deps, context, result } = pipeline
  result.beginPage(page)
  const buffer = new WriteBuffer({
    prepare: (chunks) => prepareChunks(pipeline, chunks),
    async store(prepared, chunks) {
      const stored = performance.now()
      await storeChunks(pipeline, prepared, page.path)
      context.span?.addChild('store', stored, performance.now())
      for (const chunk of chunks) page.release(chunk)
    },
    hasPushes: deps.ingest.hasPushes,
    now: () => performance.now(),
  })
  try {
    for await (const chunk of page.chunks()) {
      result.addEnvelope(page)
      await buffer.add(chunk)
    }
  } catch (error) {
    // The elements that arrived completely before the error are stored.
    await buffer.end().catch(() => undefined)
    throw error
  } finally {
    context.span?.addChild('fetch', begun, performance.now(), { 'recordhub.page': page.number })
  }
  await buffer.end()
  result.endPage(page)
}

/** Runs the stages that do not depend on the previous batch: filter, validate. */
async function prepareChunks(pipeline: Pipeline, chunks: RecordsChunk[]): Promise<PreparedChunks> {
  const begun = performance.now()
  const prepared = validate(pipeline, await pipeline.filter.filter(chunks))
  pipeline.context.span?.addChild('parse', begun, performance.now())
  return prepared
}

function validate(pipeline: Pipeline, filtered: FilteredElements): PreparedChunks {
  const writes: PreparedChunks['writes'] = []
  const rejected: PreparedChunks['rejected'] = []
  for (const found of filtered.elements) {
    const { element } = found
    const validated = validateElement(found, pipeline)
    if ('write' in validated) writes.push({ element, write: validated.write })
    else rejected.push({ element, rejection: validated.rejection })
  }
  return { filtered, writes, rejected }
}

/** Writes a batch and adds it to the result. */
async function storeChunks(
  pipeline: Pipeline,
  prepared: PreparedChunks,
  path: string,
): Promise<void> {
  const { deps, filter, reporter, result } = pipeline
  const { rejections } = result
  const isConfirmed = filter.confirmUnchanged(prepared.filtered, result.elementsBefore)
  const { filtered, writes, rejected } = isConfirmed
    ? prepared
    : validate(pipeline, await filter.readAll(prepared.filtered))
  const { chunks, unchanged, elements, error } = filtered
  const tooLarge = chunks.flatMap((chunk) => chunk.tooLarge)
  result.addElements({ writes, rejected, tooLarge: tooLarge.length }, path)
  for (const chunk of chunks) result.addBytes(chunk.bytes.byteLength)
  result.addReceived({ unchanged: unchanged.size, others: elements.length + tooLarge.length })

  const storing = [
    ...tooLarge.map((index) => rejections.addTooLarge(index)),
    ...rejected.map(({ element, rejection }) => rejections.add(element, rejection)),
  ]
  // The error is thrown when the writes have ended.
  for (const stored of storing) stored.catch(() => undefined)
  const outcomes = writes.length > 0 ? await deps.ingest.pull(writes.map(({ write }) => write)) : []
  outcomes.forEach((outcome, index) => {
    const written = writes[index]
    const rejection = written && result.addOutcome(written, outcome)
    if (rejection) storing.push(rejection)
  })
  await Promise.all(storing)
  reporter.changed()
  if (error !== null) throw new HubError('platform_response_invalid', { path, reason: error })
}

function validateElement(
  { element, fingerprint }: FilteredElement,
  { deps, keys, context, result: { read } }: Pipeline,
): { write: PullWrite } | { rejection: Rejection } {
  const checked = readRecord(element, keys, deps.ingest.maxRecordKeys)
  if ('errors' in checked) {
    const { errors } = checked
    const params = { reason: formatErrors(errors) }
    return { rejection: { code: 'invalid_record', params, errors } }
  }
  const { input, drift } = checked
  const { reference_number, full_name, version, data } = input
  const rejected = rejectDrift(drift, context.plan.drift_policy)
  if (rejected) {
    const { reason, errors } = rejected
    return { rejection: { code: 'drift_rejected', params: { reason }, errors } }
  }
  const content = { source: 'pull' as const, full_name, data, fingerprint, version }
  const write = { reference_number, content, read }
  return { write: drift ? { ...write, drift } : write }
}

function readRecord(
  element: RecordElement,
  keys: ManifestKeys,
  maxKeys: number,
): { input: PulledInput; drift: Drift | null } | { errors: FieldErrors } {
  const checked = limitKeys(
    element.record
      ? { outcome: 'valid' as const, input: element.record }
      : checkPulled(element.value),
    maxKeys,
  )
  if (checked.outcome === 'invalid') return { errors: checked.errors }
  const { input } = checked
  return { input, drift: findDrift(input.members, keys, { isWhole: true }) }
}

/** Adds the number of the page to an error of the platform, on all pages but the first. */
async function withPageContext<Result>(page: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (page === 1 || !(error instanceof HubError) || !error.code.startsWith('platform_')) {
      throw error
    }
    throw HubError.withMessage(error.code, `Page ${page}: ${error.message}`, error)
  }
}
