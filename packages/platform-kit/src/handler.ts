/** The endpoints that the hub calls, as one function of the Web standard (Request → Response). */
import { SOURCE_KEY_HEADER } from '@recordhub/protocol/constants'
import { checkPlatform } from './check-platform.ts'
import { compressed } from './compress.ts'
import { manifestOf } from './manifest.ts'
import type { PlatformDefinition, PlatformModule, RecordsPage, RecordsRequest } from './platform.ts'
import { streamRecords } from './record-stream.ts'
import { createKeyCheck } from './source-key.ts'

export type HandlerOptions = {
  /** What stands before `/api` in the paths: `/crm` for `/crm/api/hub/ping`. */
  basePath?: string
  /** The neutral word in the paths, as the hub is told: `/api/<word>/ping`. `hub` where it is left out. */
  pathWord?: string
  /** Whether answers are compressed for who understands it; they are where it is left out. */
  gzip?: boolean
  /** Told what went wrong, and where; `console.error` where it is left out. */
  onError?: (error: unknown, where: string) => void
}

/** Answers requests of the hub; null for those that are not for it, so that others can answer them. */
export type PlatformHandler = {
  (request: Request): Promise<Response | null>
  /** What the paths of all its requests begin with. */
  readonly path: string
}

type Asked = { request: Request; url: URL; stop: AbortController }

const SEARCH_LIMIT = 100

/** @throws Error for a definition that cannot work. */
export function createPlatformHandler(
  platform: PlatformDefinition,
  options: HandlerOptions = {},
): PlatformHandler {
  checkPlatform(platform)
  const { basePath = '', pathWord = 'hub', gzip = true, onError = report } = options
  const path = `${basePath.replace(/\/+$/, '')}/api/${pathWord}/`
  const isRightKey = createKeyCheck(platform.sourceKey)

  async function answer(asked: Asked): Promise<Response> {
    const { request, url, stop } = asked
    if (!(await isRightKey(request.headers.get(SOURCE_KEY_HEADER)))) {
      return fail(401, `The key in ${SOURCE_KEY_HEADER} is missing or wrong.`)
    }
    if (request.method !== 'GET') return fail(405, 'Only GET is answered here.', { Allow: 'GET' })
    const { name, title, modules, search } = platform
    const endpoint = url.pathname.slice(path.length)
    if (endpoint === 'ping') {
      return json({ success: true, message: `${title} is online.`, platform_name: name })
    }
    if (endpoint === 'manifest') return json(manifestOf(platform))
    if (endpoint === 'search' && search) {
      const query = url.searchParams.get('query')?.trim() ?? ''
      const records = query === '' ? [] : await search(query, { signal: stop.signal })
      return json({ success: true, platform_name: name, records: await takeFirst(records) })
    }
    const recordType = recordTypeIn(endpoint)
    const module = modules.find((one) => one.recordType === recordType)
    if (module) return answerRecords(platform, module, asked, tell)
    return fail(404, recordType === null ? 'There is nothing here.' : 'There is no such module.')
  }

  function tell(error: unknown, url: URL): void {
    onError(error, url.pathname)
  }

  async function handle(request: Request): Promise<Response | null> {
    const url = new URL(request.url)
    if (!url.pathname.startsWith(path)) return null
    const stop = new AbortController()
    if (request.signal.aborted) stop.abort()
    request.signal.addEventListener('abort', () => stop.abort(), { once: true })
    try {
      const response = await answer({ request, url, stop })
      return gzip ? compressed(request, response) : response
    } catch (error) {
      if (!stop.signal.aborted) tell(error, url)
      return fail(500, 'The platform could not answer. Its log says why.')
    }
  }
  return Object.assign(handle, { path })
}

async function answerRecords(
  platform: PlatformDefinition,
  module: PlatformModule,
  { request, url, stop }: Asked,
  tell: (error: unknown, url: URL) => void,
): Promise<Response> {
  const headers = new Headers({ 'Content-Type': 'application/json' })
  const cursor = url.searchParams.get('cursor')
  if (module.version && cursor === null) {
    // Told before the records are read: what changes meanwhile has another version the next time.
    const tag = `"${encodeURIComponent(await module.version())}"`
    headers.set('ETag', `W/${tag}`)
    if (knows(request, tag)) return new Response(null, { status: 304, headers })
  }
  const { records, next, total } = await readPage(module, cursor, { signal: stop.signal })
  if (next !== null) {
    // Relative to wherever the hub has called: whatever a proxy before it has made of the path.
    headers.set('Link', `<?${new URLSearchParams({ cursor: next })}>; rel="next"`)
  }
  const body = await streamRecords(records, {
    head: {
      success: true,
      platform_name: platform.name,
      module_name: module.name,
      record_type: module.recordType,
      ...(total === undefined ? {} : { total }),
    },
    isWhole: total === undefined && next === null && cursor === null,
    stop,
    onError: (error) => tell(error, url),
  })
  return new Response(body, { headers })
}

async function readPage(
  module: PlatformModule,
  cursor: string | null,
  request: RecordsRequest,
): Promise<RecordsPage> {
  if (module.pages) return module.pages(cursor, request)
  return { records: await module.records(request), next: null }
}

function knows(request: Request, tag: string): boolean {
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  return known.some((one) => one.trim().replace(/^W\//, '') === tag)
}

async function takeFirst<Item>(items: Iterable<Item> | AsyncIterable<Item>): Promise<Item[]> {
  const first: Item[] = []
  for await (const item of items) {
    first.push(item)
    if (first.length === SEARCH_LIMIT) break
  }
  return first
}

/** Null where no module is asked for. */
function recordTypeIn(endpoint: string): string | null {
  const [, encoded] = /^records\/([^/]+)$/.exec(endpoint) ?? []
  if (encoded === undefined) return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}

function json(body: unknown, init: ResponseInit = {}): Response {
  return new Response(JSON.stringify(body), {
    ...init,
    headers: { 'Content-Type': 'application/json', ...init.headers },
  })
}

function fail(status: number, message: string, headers: Record<string, string> = {}): Response {
  return json({ success: false, message }, { status, headers })
}

function report(error: unknown, where: string): void {
  console.error(`recordhub platform, ${where}:`, error)
}
