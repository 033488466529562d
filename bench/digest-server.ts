/**
 * Platforms in a separate process that offer versions and digests:
 * `node digest-server.ts <records> <modules> <platforms> <versions | mixed | none>`; `mixed`: those
 * with an even number, with museum records of 2 KB in place of small ones. `POST /change/<platform>/<record type>` gives
 * the first record of a module another version; `GET /traffic` returns the requests since the last call, and the compressed
 * bytes of their responses without full lists.
 */
import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { listen } from './listen.ts'
import { MUSEUM_FIELDS, museumRecord } from './museum-record.ts'
import { createPlatforms, type ModuleRef, platformNames } from './platforms.ts'
import { SMALL_FIELDS, smallRecord } from './small-record.ts'
import { rangeOfModule } from './spread-records.ts'

const [count = 0, modules = 1, platforms = 1] = process.argv.slice(2, 5).map(Number)
const offer = process.argv[5]
const RECORDS_PER_CHUNK = 200
const PATH = /^\/([\w-]+)\/api\/hub\/records\/([\w-]+?)(\/digest)?(?:\?|$)/

/** For each record of a module: the first six digits of the md5 of its reference, and what it adds to the sum. */
type Hashes = { references: Uint32Array; versions: Float64Array }

const hashesOf = new Map<string, Hashes>()
const changedModules = new Set<string>()
let traffic = { requests: 0, bytes: 0 }

const isMuseum = offer === 'mixed'
const others = createPlatforms(modules, isMuseum ? MUSEUM_FIELDS : SMALL_FIELDS, () => undefined)
await listen(
  createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://bench')
    if (url.pathname === '/traffic') {
      response.end(JSON.stringify(traffic))
      traffic = { requests: 0, bytes: 0 }
      return
    }
    const [, change] = /^\/change\/(.+)$/.exec(url.pathname) ?? []
    if (change !== undefined) {
      changedModules.add(change)
      hashesOf.delete(change)
      response.end()
      return
    }
    const [, platform_name, record_type, digest] = PATH.exec(request.url ?? '') ?? []
    if (platform_name === undefined || record_type === undefined) {
      others.emit('request', request, response)
      return
    }
    traffic.requests += 1
    const module = { platform_name, record_type }
    const prefixes = url.searchParams.get('prefix')?.split(',') ?? null
    if (digest !== undefined && hasVersions(module)) {
      const digits = Number(url.searchParams.get('digits'))
      const members = { success: true, ...module, digits }
      send(request, response, { ...members, buckets: digestOf(module, digits, prefixes) })
    } else if (digest !== undefined) response.writeHead(404).end()
    else if (prefixes) sendBuckets(request, response, { module, prefixes })
    else void sendDocument(module, response)
  }),
)

function rangeOf(module: ModuleRef): { first: number; end: number } {
  return platforms * modules === 1
    ? { first: 0, end: count }
    : rangeOfModule(module, { records: count, modules, platforms })
}

function versionOf(module: ModuleRef, number: number): string {
  const { first } = rangeOf(module)
  return number === first && changedModules.has(nameOf(module)) ? '2' : '1'
}

function hasVersions({ platform_name }: ModuleRef): boolean {
  const number = platformNames(platforms).indexOf(platform_name) + 1
  return offer === 'versions' || (offer === 'mixed' && number % 2 === 0)
}

function nameOf({ platform_name, record_type }: ModuleRef): string {
  return `${platform_name}/${record_type}`
}

/** The record as JSON, with its version. */
function recordOf(module: ModuleRef, number: number): string {
  const record = isMuseum ? museumRecord(number).replace('OBJ-', 'ITEM-') : smallRecord(number)
  if (!hasVersions(module)) return record
  const version = versionOf(module, number)
  const changed = version === '1' ? record : record.replace('Operations', 'Another department')
  return `${changed.slice(0, -1)},"version":${version}}`
}

function hashesOfModule(module: ModuleRef): Hashes {
  const name = nameOf(module)
  const known = hashesOf.get(name)
  if (known) return known
  const { first, end } = rangeOf(module)
  const references = new Uint32Array(end - first)
  const versions = new Float64Array(end - first)
  for (let number = first; number < end; number++) {
    const reference = `ITEM-${String(number).padStart(8, '0')}`
    const text = `${reference}\u001f${versionOf(module, number)}`
    references[number - first] = Number.parseInt(hash('md5', reference).slice(0, 6), 16)
    versions[number - first] = Number.parseInt(hash('md5', text).slice(0, 12), 16)
  }
  const hashes = { references, versions }
  hashesOf.set(name, hashes)
  return hashes
}

function digestOf(
  module: ModuleRef,
  digits: number,
  prefixes: string[] | null,
): [string, number, number][] {
  const { references, versions } = hashesOfModule(module)
  const size = 16 ** (6 - digits)
  const counts = new Map<number, [count: number, sum: number]>()
  for (const [index, reference] of references.entries()) {
    const bucket = Math.floor(reference / size)
    const known = counts.get(bucket) ?? [0, 0]
    known[0] += 1
    known[1] = (known[1] + (versions[index] ?? 0)) % 2 ** 48
    counts.set(bucket, known)
  }
  const buckets = [...counts].map(([bucket, [records, sum]]): [string, number, number] => {
    return [bucket.toString(16).padStart(digits, '0'), records, sum]
  })
  return prefixes
    ? buckets.filter(([bucket]) => prefixes.some((prefix) => bucket.startsWith(prefix)))
    : buckets
}

function sendBuckets(
  request: IncomingMessage,
  response: ServerResponse,
  { module, prefixes }: { module: ModuleRef; prefixes: string[] },
): void {
  const { first } = rangeOf(module)
  const records: unknown[] = []
  for (const [index, reference] of hashesOfModule(module).references.entries()) {
    const hashed = reference.toString(16).padStart(6, '0')
    if (!prefixes.some((prefix) => hashed.startsWith(prefix))) continue
    records.push(JSON.parse(recordOf(module, first + index)))
  }
  const members = { success: true, ...module, total: records.length, prefix: prefixes.join(',') }
  send(request, response, { ...members, records })
}

function send(request: IncomingMessage, response: ServerResponse, body: unknown): void {
  const text = Buffer.from(JSON.stringify(body))
  const isCompressed = /gzip/.test(request.headers['accept-encoding'] ?? '')
  const bytes = isCompressed ? gzipSync(text) : text
  // As if the client had accepted compression, so that both kinds of requests are comparable.
  traffic.bytes += isCompressed ? bytes.length : gzipSync(text).length
  const encoding: Record<string, string> = isCompressed ? { 'Content-Encoding': 'gzip' } : {}
  response.writeHead(200, { 'Content-Type': 'application/json', ...encoding }).end(bytes)
}

async function sendDocument(module: ModuleRef, response: ServerResponse): Promise<void> {
  const { first, end } = rangeOf(module)
  const head = { success: true, ...module, total: end - first }
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write(`${JSON.stringify(head).slice(0, -1)},"records":[`)
  for (let from = first; from < end; from += RECORDS_PER_CHUNK) {
    const to = Math.min(from + RECORDS_PER_CHUNK, end)
    const records = Array.from({ length: to - from }, (_, index) => recordOf(module, from + index))
    const chunk = `${from === first ? '' : ','}${records.join(',')}`
    if (!response.write(chunk))
      await new Promise<void>((resolve) => response.once('drain', resolve))
    if (response.destroyed) return
  }
  response.end(']}')
  // The digest is requested later; a database would have an index.
  if (hasVersions(module)) hashesOfModule(module)
}
