/** Searches the hub's records and all active platforms at the same time (specification 1.6, 4.2). */
import type { SearchLine } from '@recordhub/protocol'
import { type JsonValue, stringifyLossless } from '@recordhub/protocol/lossless-json'
import type PQueue from 'p-queue'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { findMatches } from '../../domain/search/search-matches.ts'
import { parseSearchResponse } from '../../domain/search/search-response.ts'
import { parseSearch, type SearchTerms } from '../../domain/search/search-text.ts'
import { found, HubError } from '../../errors.ts'
import type { ActivePlatform } from '../../storage/port/platform-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

type HubLine = Extract<SearchLine, { kind: 'hub' }>
/** The best records of the hub, and figures of all that match. */
type FoundPage = Omit<HubLine, 'kind' | 'error' | 'took_ms'>

/** What is searched in the hub: the text, and the module or platform of the records. */
type HubSearch = { q: string; record_type?: string; platform?: string }

export type SearchDeps = Pick<FeatureDeps, 'platforms' | 'client' | 'secrets'> & {
  /** Limits the requests of all searches of this process together. */
  queue: Pick<PQueue, 'add'>
  searchRecords: (search: HubSearch, limit: number) => Promise<FoundPage>
  /** Called with errors that are not in the error catalogue. */
  onError: (error: unknown, platformId: number | null) => void
}

type PlatformLine = Extract<SearchLine, { kind: 'platform' }>
type PlatformResult = Omit<PlatformLine, 'kind' | 'platform_name' | 'took_ms'>

const MAX_RESULTS = 20
const MAX_RAW_LENGTH = 10_000

/**
 * Yields the lines of a search: the searched platforms, the records of the hub, then each platform as it responds.
 * @throws HubError before the first line; after it only the signal's reason, so that the client notices that the
 *   results are incomplete.
 */
export async function* searchEverywhere(
  deps: SearchDeps,
  { hubOnly, ...search }: HubSearch & { hubOnly: boolean },
  signal: AbortSignal,
): AsyncGenerator<SearchLine> {
  const active = hubOnly ? [] : await deps.platforms.listActive()
  const searches = active.map((platform) => searchPlatform(deps, platform, search.q, signal))
  yield {
    kind: 'started',
    platforms: active.map(({ platform_name, display_title }) => ({ platform_name, display_title })),
  }
  yield await searchHub(deps, search)
  for await (const line of inOrderOfCompletion(searches)) {
    signal.throwIfAborted()
    yield line
  }
  yield { kind: 'end' }
}

async function searchHub(deps: SearchDeps, search: HubSearch): Promise<HubLine> {
  const took = startTimer()
  try {
    const found = await deps.searchRecords(search, MAX_RESULTS)
    return { kind: 'hub', ...found, error: null, took_ms: took() }
  } catch (thrown) {
    const figures = { estimated_total: 0, total_is_estimate: false, search_lag: null }
    const error = describeError(deps, thrown, null)
    return { kind: 'hub', records: [], ...figures, complete: false, error, took_ms: took() }
  }
}

/** Returns a function that returns the milliseconds since now. */
function startTimer(): () => number {
  const startedAt = performance.now()
  return () => Math.ceil(performance.now() - startedAt)
}

/** Never rejects. */
async function searchPlatform(
  deps: SearchDeps,
  { id, platform_name }: ActivePlatform,
  query: string,
  signal: AbortSignal,
): Promise<PlatformLine> {
  let took = startTimer()
  async function search(): Promise<PlatformResult> {
    took = startTimer()
    return requestSearch(deps, id, query, signal)
  }
  const result = await deps.queue.add(search, { signal }).catch((thrown: unknown) => {
    const error = signal.aborted ? null : describeError(deps, thrown, id)
    return { outcome: 'failed' as const, ...EMPTY, error }
  })
  return { kind: 'platform', platform_name, ...result, took_ms: took() }
}

const EMPTY = { found: 0, records: [], raw: null, error: null }

async function requestSearch(
  deps: SearchDeps,
  platformId: number,
  query: string,
  signal: AbortSignal,
): Promise<PlatformResult> {
  // The platform may have been removed in the meantime.
  const { modules } = found('platform', await deps.platforms.readPlatform(platformId))
  const unregistered = modules.filter(({ registered }) => !registered)
  const hidden = new Set(unregistered.map(({ record_type }) => record_type))
  const source = await deps.platforms.readSource(platformId)
  const { source_base_url, encrypted_source_key } = found('platform', source)
  const source_api_key = deps.secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
  const response = await deps.client.search({ source_base_url, source_api_key }, query, signal)
  if (response === null) return { outcome: 'no_endpoint', ...EMPTY }
  await deps.platforms.recordRecovery(platformId)
  return parseResponse(response, hidden, parseSearch(query))
}

/** @param hidden the record types of modules that are not registered: their records are not results. */
function parseResponse(
  response: JsonValue,
  hidden: ReadonlySet<string>,
  terms: SearchTerms,
): PlatformResult {
  const parsed = parseSearchResponse(response, Number.POSITIVE_INFINITY)
  if (parsed.outcome !== 'found') {
    const raw = stringifyLossless(parsed.value).slice(0, MAX_RAW_LENGTH)
    return { outcome: 'raw', ...EMPTY, raw }
  }
  const visible = parsed.records.filter(({ record_type }) => !hidden.has(record_type ?? ''))
  const records = visible.slice(0, MAX_RESULTS).map((record) => {
    const { full_name, reference_number, data } = record
    const names = { full_name: full_name ?? '', reference_number: reference_number ?? '' }
    return { ...record, matches: findMatches({ ...names, data }, terms) }
  })
  return { ...EMPTY, outcome: 'found', found: visible.length, records }
}

function describeError(deps: SearchDeps, error: unknown, platformId: number | null) {
  const known = error instanceof HubError ? error : new HubError('internal_error')
  if (known !== error) deps.onError(error, platformId)
  return { code: known.code, message: known.message }
}

/** Yields the values of promises that never reject, in the order in which they resolve. */
async function* inOrderOfCompletion<Value>(promises: Promise<Value>[]): AsyncGenerator<Value> {
  const resolved: Value[] = []
  let next = Promise.withResolvers<void>()
  for (const promise of promises) {
    void promise.then((value) => {
      resolved.push(value)
      next.resolve()
    })
  }
  for (let left = promises.length; left > 0; ) {
    await next.promise
    next = Promise.withResolvers()
    const ready = resolved.splice(0)
    left -= ready.length
    yield* ready
  }
}
