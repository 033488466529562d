/** Asks the hub's own records and every active platform at once (specification 1.6, 4.2). */
import type { Platform, RecordPage, SearchLine } from '@recordhub/protocol'
import { type JsonValue, stringifyLossless } from '@recordhub/protocol/lossless-json'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { readSearchAnswer } from '../../domain/search/search-response.ts'
import { HubError } from '../../errors.ts'
import type { Semaphore } from '../../lib/concurrency/semaphore.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'

export type SearchParts = {
  platforms: Pick<PlatformStore, 'listPlatforms' | 'readSource' | 'recordRecovery'>
  client: Pick<PlatformClient, 'search'>
  secrets: SecretBox
  /** Of the process: however many people search, platforms and the hub are not flooded. */
  turns: Semaphore
  searchRecords: (query: string, limit: number) => Promise<RecordPage>
  /** Hears of what is no fault of a platform. */
  complain: (error: unknown, platformId: number | null) => void
}

type HubLine = Extract<SearchLine, { kind: 'hub' }>
type PlatformLine = Extract<SearchLine, { kind: 'platform' }>
type Finding = Omit<PlatformLine, 'kind' | 'platform_name' | 'took_ms'>

const MOST_SHOWN = 20
const RAW_LENGTH = 10_000

/**
 * The lines of a search: who is asked, what the hub has, then each platform as it answers.
 * @throws HubError before the first line; later only the signal's reason, so that nobody takes what came for all.
 */
export async function* searchEverywhere(
  parts: SearchParts,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<SearchLine> {
  const all = await parts.platforms.listPlatforms()
  const active = all.filter(({ status }) => status === 'active')
  const inTurn = active.map((platform) => askPlatform(parts, platform, query, signal))
  yield {
    kind: 'asked',
    platforms: active.map(({ platform_name, display_title }) => ({ platform_name, display_title })),
  }
  yield await askHub(parts, query)
  for await (const line of asTheyCome(inTurn)) {
    signal.throwIfAborted()
    yield line
  }
  yield { kind: 'end' }
}

async function askHub(parts: SearchParts, query: string): Promise<HubLine> {
  try {
    const page = await parts.searchRecords(query, MOST_SHOWN)
    const { records, estimated_total, total_is_estimate, complete, search_lag } = page
    const figures = { estimated_total, total_is_estimate, complete, search_lag }
    return { kind: 'hub', records, ...figures, error: null }
  } catch (error) {
    const figures = { estimated_total: 0, total_is_estimate: false, search_lag: null }
    const told = tellError(parts, error, null)
    return { kind: 'hub', records: [], ...figures, complete: false, error: told }
  }
}

/** Never rejects. */
async function askPlatform(
  parts: SearchParts,
  { id, platform_name, modules }: Platform,
  query: string,
  signal: AbortSignal,
): Promise<PlatformLine> {
  let began = performance.now()
  const unregistered = modules.filter(({ registered }) => !registered)
  const hidden = new Set(unregistered.map(({ record_type }) => record_type))
  const finding = await parts.turns
    .run(() => {
      began = performance.now()
      return findAt(parts, { platformId: id, hidden }, query, signal)
    }, signal)
    .catch((error: unknown) => {
      const told = signal.aborted ? null : tellError(parts, error, id)
      return { outcome: 'failed' as const, ...NOTHING, error: told }
    })
  const took_ms = Math.round(performance.now() - began)
  return { kind: 'platform', platform_name, ...finding, took_ms }
}

const NOTHING = { found: 0, records: [], raw: null, error: null }

async function findAt(
  parts: SearchParts,
  { platformId, hidden }: { platformId: number; hidden: ReadonlySet<string> },
  query: string,
  signal: AbortSignal,
): Promise<Finding> {
  const source = await parts.platforms.readSource(platformId)
  // Removed meanwhile.
  if (!source) throw new HubError('not_found', { what: 'platform' })
  const { source_base_url, sealed_source_key } = source
  const source_api_key = parts.secrets.open(sealed_source_key, SOURCE_KEY_PURPOSE)
  const target = { source_base_url, source_api_key }
  const answer = await parts.client.search(target, query, signal)
  if (answer === null) return { outcome: 'no_endpoint', ...NOTHING }
  await parts.platforms.recordRecovery(platformId)
  return understand(answer, hidden)
}

/** @param hidden the record types of modules that are not registered: their records are not results. */
function understand(answer: JsonValue, hidden: ReadonlySet<string>): Finding {
  const read = readSearchAnswer(answer, Number.POSITIVE_INFINITY)
  if (read.outcome === 'found') {
    const records = read.records.filter(({ record_type }) => !hidden.has(record_type ?? ''))
    return {
      ...NOTHING,
      outcome: 'found',
      found: records.length,
      records: records.slice(0, MOST_SHOWN),
    }
  }
  return { outcome: 'raw', ...NOTHING, raw: stringifyLossless(read.value).slice(0, RAW_LENGTH) }
}

function tellError(parts: SearchParts, error: unknown, platformId: number | null) {
  const known = error instanceof HubError ? error : new HubError('internal_error')
  if (known !== error) parts.complain(error, platformId)
  return { code: known.code, message: known.message }
}

/** What promises that never reject give, in the order in which they give it. */
async function* asTheyCome<Value>(promises: Promise<Value>[]): AsyncGenerator<Value> {
  const here: Value[] = []
  let news = Promise.withResolvers<void>()
  for (const promise of promises) {
    void promise.then((value) => {
      here.push(value)
      news.resolve()
    })
  }
  for (let left = promises.length; left > 0; ) {
    await news.promise
    news = Promise.withResolvers()
    const ready = here.splice(0)
    left -= ready.length
    yield* ready
  }
}
