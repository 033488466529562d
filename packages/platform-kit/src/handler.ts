/** The endpoints that the hub calls, as one function of the Web standard (Request → Response). */
import { SOURCE_KEY_HEADER } from '@recordhub/protocol/constants'
import { definePlatform, type PlatformDefinition, type PlatformModule } from './platform.ts'
import { streamRecords } from './record-stream.ts'
import { createKeyCheck } from './source-key.ts'

export type HandlerOptions = {
  /** The neutral word in the paths: `/api/<word>/ping`. */
  pathWord?: string
  /** Compresses answers for who understands it. */
  gzip?: boolean
  /** Told what went wrong while records were read; `console.error` where it is left out. */
  onError?: (error: unknown, where: string) => void
}

/** Answers requests of the hub; null for those that are not for it, so that others can answer them. */
export type PlatformHandler = (request: Request) => Promise<Response | null>

const SEARCH_LIMIT = 100

/** @throws Error for a definition that cannot work. */
export function createPlatformHandler(
  definition: PlatformDefinition,
  options: HandlerOptions = {},
): PlatformHandler {
  const platform = definePlatform(definition)
  const { pathWord = 'hub', gzip = true, onError = report } = options
  const holdsKey = createKeyCheck(platform.sourceKey)
  const base = `/api/${pathWord}/`

  async function answer(request: Request, endpoint: string, url: URL): Promise<Response> {
    if (!(await holdsKey(request.headers.get(SOURCE_KEY_HEADER)))) {
      return fail(401, `The key in ${SOURCE_KEY_HEADER} is missing or wrong.`)
    }
    if (request.method !== 'GET') return fail(405, 'Only GET is answered here.', { Allow: 'GET' })
    if (endpoint === 'ping') {
      const message = `${platform.title} is online.`
      return json({ success: true, message, platform_name: platform.name })
    }
    if (endpoint === 'manifest') return json(manifestOf(platform))
    if (endpoint === 'search' && platform.search) {
      return search(platform, platform.search, request, url)
    }
    const recordType = /^records\/([^/]+)$/.exec(endpoint)?.[1]
    const wanted = recordType === undefined ? undefined : decode(recordType)
    const module = platform.modules.find((one) => one.recordType === wanted)
    if (!module) return fail(404, `There is no ${endpoint} here.`)
    return answerRecords(platform, module, request, url, (error) =>
      onError(error, `records of ${module.recordType}`),
    )
  }

  return async (request) => {
    const url = new URL(request.url)
    const at = url.pathname.indexOf(base)
    if (at < 0) return null
    try {
      const response = await answer(request, url.pathname.slice(at + base.length), url)
      return gzip ? compressed(request, response) : response
    } catch (error) {
      onError(error, `${request.method} ${url.pathname}`)
      return fail(500, 'The platform could not answer. Its log says why.')
    }
  }
}

function manifestOf({ name, title, description = '', modules }: PlatformDefinition) {
  return {
    success: true,
    platform_name: name,
    platform_title: title,
    platform_description: description,
    modules: modules.map((module) => ({
      module_name: module.name,
      record_type: module.recordType,
      description: module.description ?? '',
      fields: module.fields.map(({ key, label = key, type = 'string', required = false }) => ({
        key,
        label,
        type,
        required,
      })),
    })),
  }
}

async function answerRecords(
  platform: PlatformDefinition,
  module: PlatformModule,
  request: Request,
  url: URL,
  onError: (error: unknown) => void,
): Promise<Response> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  const cursor = url.searchParams.get('cursor')
  if (module.version && cursor === null) {
    const tag = `W/"${encodeURIComponent(await module.version())}"`
    headers['ETag'] = tag
    const known = request.headers.get('if-none-match')?.split(',') ?? []
    if (known.some((one) => one.trim() === tag)) return new Response(null, { status: 304, headers })
  }
  const { signal } = request
  const { records, next } = module.pages
    ? await module.pages(cursor, { signal })
    : { records: (await module.records?.({ signal })) ?? [], next: null }
  if (next !== null) {
    const page = new URL(url)
    page.searchParams.set('cursor', next)
    headers['Link'] = `<${page.pathname}${page.search}>; rel="next"`
  }
  const head = {
    success: true,
    platform_name: platform.name,
    module_name: module.name,
    record_type: module.recordType,
  }
  const body = streamRecords(head, records, (error) => error !== null && onError(error))
  return new Response(body, { headers })
}

async function search(
  platform: PlatformDefinition,
  find: NonNullable<PlatformDefinition['search']>,
  request: Request,
  url: URL,
): Promise<Response> {
  const query = url.searchParams.get('query')?.trim() ?? ''
  const records = []
  if (query !== '') {
    for await (const record of await find(query, { signal: request.signal })) {
      records.push(record)
      if (records.length === SEARCH_LIMIT) break
    }
  }
  return json({ success: true, platform_name: platform.name, records })
}

function compressed(request: Request, response: Response): Response {
  const accepts = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(
    request.headers.get('accept-encoding') ?? '',
  )
  if (!accepts || response.body === null || response.status !== 200) return response
  const headers = new Headers(response.headers)
  headers.set('Content-Encoding', 'gzip')
  headers.append('Vary', 'Accept-Encoding')
  return new Response(response.body.pipeThrough(new CompressionStream('gzip')), { headers })
}

function json(body: unknown): Response {
  return new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })
}

function fail(status: number, message: string, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ success: false, message }), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  })
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function report(error: unknown, where: string): void {
  console.error(`recordhub platform: ${where}:`, error)
}
