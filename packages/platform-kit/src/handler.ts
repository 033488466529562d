/** The endpoints that the hub calls, as a Web-standard function from Request to Response. */
import { SOURCE_KEY_HEADER } from '@recordhub/protocol/constants'
import { trimTrailing } from '@recordhub/protocol/text'
import { type PlatformDefinition, toManifest } from './platform.ts'
import { respondWithDigest } from './respond-with-digest.ts'
import { respondWithRecords } from './respond-with-records.ts'
import { fail, json } from './responses.ts'
import { validateDefinition } from './validate-definition.ts'

export type HandlerOptions = {
  /** The prefix of the paths before `/api`: `/crm` for `/crm/api/hub/ping`. */
  basePath?: string
  /** The word in the paths, as configured in the hub: `/api/<word>/ping`. `hub` by default. */
  pathWord?: string
  /** Whether responses are compressed if the client accepts it; true by default. */
  gzip?: boolean
  /** Called with each error and the path of its request; `console.error` by default. */
  onError?: (error: unknown, path: string) => void
}

/** Serves requests of the hub. Returns null for all other requests, so that the application can serve them. */
export type PlatformHandler = {
  (request: Request): Promise<Response | null>
  /** The prefix of all paths that it serves. */
  readonly path: string
}

type Call = { request: Request; url: URL; stop: AbortController }

const SEARCH_LIMIT = 100

/** @throws Error for an invalid definition. */
export function createPlatformHandler(
  platform: PlatformDefinition,
  options: HandlerOptions = {},
): PlatformHandler {
  validateDefinition(platform)
  const { basePath = '', pathWord = 'hub', gzip = true, onError = logError } = options
  const path = `${trimTrailing(basePath, '/')}/api/${pathWord}/`
  const isValidKey = createKeyCheck(platform.sourceKey)

  async function respond(call: Call): Promise<Response> {
    const { request, url, stop } = call
    if (!(await isValidKey(request.headers.get(SOURCE_KEY_HEADER)))) {
      return fail(401, `The key in ${SOURCE_KEY_HEADER} is missing or wrong.`)
    }
    if (request.method !== 'GET') return fail(405, 'Only GET is supported.', { Allow: 'GET' })
    const { name, title, modules, search } = platform
    const endpoint = url.pathname.slice(path.length)
    if (endpoint === 'ping') {
      return json({ success: true, message: `${title} is online.`, platform_name: name })
    }
    if (endpoint === 'manifest') return json(toManifest(platform))
    if (endpoint === 'search' && search) {
      const query = url.searchParams.get('query')?.trim() ?? ''
      const records = query === '' ? [] : await search(query, { signal: stop.signal })
      return json({ success: true, platform_name: name, records: await takeFirst(records) })
    }
    const found = findRecordType(endpoint)
    if (found === null) return fail(404, 'Not found.')
    const module = modules.find((one) => one.recordType === found.recordType)
    if (!module) return fail(404, 'There is no such module.')
    const onError = (error: unknown) => reportError(error, url)
    const moduleCall = { platform, module, ...call, onError }
    return found.isDigest ? respondWithDigest(moduleCall) : respondWithRecords(moduleCall)
  }

  function reportError(error: unknown, url: URL): void {
    onError(error, url.pathname)
  }

  async function handle(request: Request): Promise<Response | null> {
    const url = new URL(request.url)
    if (!url.pathname.startsWith(path)) return null
    const stop = new AbortController()
    if (request.signal.aborted) stop.abort()
    request.signal.addEventListener('abort', () => stop.abort(), { once: true })
    try {
      const response = await respond({ request, url, stop })
      return gzip ? compress(request, response) : response
    } catch (error) {
      if (!stop.signal.aborted) reportError(error, url)
      return fail(500, 'Internal error. See the log of the platform.')
    }
  }
  return Object.assign(handle, { path })
}

async function takeFirst<Item>(items: Iterable<Item> | AsyncIterable<Item>): Promise<Item[]> {
  const first: Item[] = []
  for await (const item of items) {
    first.push(item)
    if (first.length === SEARCH_LIMIT) break
  }
  return first
}

/** The record type in the path of a records or digest endpoint; null for all other paths. */
function findRecordType(endpoint: string): { recordType: string; isDigest: boolean } | null {
  const [, encoded, digest] = /^records\/([^/]+)(\/digest)?$/.exec(endpoint) ?? []
  if (encoded === undefined) return null
  try {
    return { recordType: decodeURIComponent(encoded), isDigest: digest !== undefined }
  } catch {
    return null
  }
}

function logError(error: unknown, path: string): void {
  console.error(`recordhub platform, ${path}:`, error)
}

/** Compresses a complete response if the client accepts gzip. */
function compress(request: Request, response: Response): Response {
  if (response.status !== 200 || response.body === null) return response
  const headers = new Headers(response.headers)
  headers.append('Vary', 'Accept-Encoding')
  if (!acceptsGzip(request.headers.get('accept-encoding') ?? '')) {
    return new Response(response.body, { headers })
  }
  headers.set('Content-Encoding', 'gzip')
  return new Response(response.body.pipeThrough(new CompressionStream('gzip')), { headers })
}

function acceptsGzip(header: string): boolean {
  return header.split(',').some((coding) => {
    const [name = '', ...params] = coding.split(';').map((part) => part.trim().toLowerCase())
    return name === 'gzip' && !params.some((param) => /^q=0(\.0*)?$/.test(param))
  })
}

/**
 * Creates a check of the source API key in constant time: the hashes are compared, so the time does not depend on the
 * position of the first difference. Uses Web Crypto only.
 */
function createKeyCheck(
  keys: string | readonly string[],
): (candidate: string | null) => Promise<boolean> {
  // Created with the first request, since edge runtimes do not allow cryptography while a module is loaded.
  let knownHashes: Promise<Uint8Array[]> | null = null
  return async (candidate) => {
    knownHashes ??= Promise.all([keys].flat().map(hash))
    const candidateHash = await hash(candidate ?? '')
    let isKnown = false
    for (const known of await knownHashes) {
      if (isEqual(known, candidateHash)) isKnown = true
    }
    return isKnown && candidate !== null
  }
}

async function hash(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

/** Compares all bytes, even after the first difference. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  one.forEach((byte, index) => {
    difference |= byte ^ (other[index] ?? 0)
  })
  return difference === 0
}
