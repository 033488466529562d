/** The records endpoint: all records of a module, one page of them, or those of some prefixes. */
import { createPrefixFilter, parsePrefixes } from '@recordhub/protocol/digest'
import { md5 } from './md5.ts'
import type {
  PlatformDefinition,
  PlatformModule,
  PlatformRecord,
  Records,
  RecordsPage,
  RecordsRequest,
} from './platform.ts'
import { streamRecords } from './record-stream.ts'
import { fail } from './responses.ts'

export type ModuleCall = {
  platform: PlatformDefinition
  module: PlatformModule
  request: Request
  url: URL
  stop: AbortController
  onError: (error: unknown) => void
}

/** A client that disconnects, and other requests, wait at most for so many records. */
const RECORDS_BETWEEN_PAUSES = 1000

export async function respondWithRecords(call: ModuleCall): Promise<Response> {
  const { module, request, url, stop } = call
  const prefix = url.searchParams.get('prefix')
  if (prefix !== null) return respondWithPrefix(call, prefix)
  const headers = new Headers({ 'Content-Type': 'application/json' })
  const cursor = url.searchParams.get('cursor')
  if (module.version && cursor === null) {
    // The version is read before the records: a change made meanwhile has another version in the next request.
    const tag = `"${encodeURIComponent(await module.version())}"`
    headers.set('ETag', `W/${tag}`)
    if (hasMatchingTag(request, tag)) return new Response(null, { status: 304, headers })
  }
  const { records, next, total } = await readPage(module, cursor, { signal: stop.signal })
  if (next !== null) {
    // The link is relative to the requested URL, since a proxy may have rewritten the path.
    headers.set('Link', `<?${new URLSearchParams({ cursor: next })}>; rel="next"`)
  }
  const isComplete = total === undefined && next === null && cursor === null
  const members = total === undefined ? {} : { total }
  return new Response(await streamModule(call, { records, members, isComplete }), { headers })
}

/** The records of some prefixes are one page. */
async function respondWithPrefix(call: ModuleCall, prefix: string): Promise<Response> {
  const { module, stop } = call
  const parsed = parsePrefixes(prefix)
  if ('issue' in parsed) return fail(400, parsed.issue)
  const request = { signal: stop.signal }
  const records = module.recordsByPrefix
    ? await module.recordsByPrefix(parsed.value ?? [], request)
    : selectRecords(module, parsed.value, request)
  const body = await streamModule(call, { records, members: { prefix }, isComplete: true })
  return new Response(body, { headers: { 'Content-Type': 'application/json' } })
}

function streamModule(
  { platform, module, stop, onError }: ModuleCall,
  {
    records,
    members,
    isComplete,
  }: { records: Records; members: Record<string, unknown>; isComplete: boolean },
): Promise<ReadableStream<Uint8Array>> {
  return streamRecords(records, {
    envelope: {
      success: true,
      platform_name: platform.name,
      module_name: module.name,
      record_type: module.recordType,
      ...members,
    },
    isComplete,
    stop,
    onError,
  })
}

async function* selectRecords(
  module: PlatformModule,
  prefixes: readonly string[] | null,
  request: RecordsRequest,
): AsyncGenerator<PlatformRecord> {
  const isSelected = createPrefixFilter(prefixes)
  for await (const record of readAllRecords(module, request)) {
    if (isSelected(md5(String(record.reference_number)))) yield record
  }
}

/** Yields the records of all pages, and lets the event loop continue between them. */
export async function* readAllRecords(
  module: PlatformModule,
  request: RecordsRequest,
): AsyncGenerator<PlatformRecord> {
  let count = 0
  let cursor: string | null = null
  do {
    const { records, next }: RecordsPage = await readPage(module, cursor, request)
    for await (const record of records) {
      yield record
      count += 1
      if (count % RECORDS_BETWEEN_PAUSES === 0) await new Promise((resolve) => setTimeout(resolve))
      request.signal.throwIfAborted()
    }
    cursor = next
  } while (cursor !== null)
}

async function readPage(
  module: PlatformModule,
  cursor: string | null,
  request: RecordsRequest,
): Promise<RecordsPage> {
  if (module.pages) return module.pages(cursor, request)
  return { records: await module.records(request), next: null }
}

function hasMatchingTag(request: Request, tag: string): boolean {
  const tags = request.headers.get('if-none-match')?.split(',') ?? []
  return tags.some((one) => one.trim().replace(/^W\//, '') === tag)
}
