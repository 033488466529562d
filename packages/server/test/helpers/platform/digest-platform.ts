/** A platform whose only module, `cases`, has versions and a digest. Tests change its records and how careless it is. */
import { hash } from 'node:crypto'
import { type Responder, respond, type SimulatedPlatform } from './platform.ts'
import type { ReceivedRequest } from './respond.ts'

export type VersionedRecord = {
  reference_number: string
  full_name: unknown
  data: unknown
  /** Left out for a record without a version. */
  version?: string | number
}

export type DigestBehaviour = {
  /** The records that the digest is computed from, if not from those of the list. */
  digested?: (records: VersionedRecord[]) => VersionedRecord[]
  /** Responds to a request for buckets with the whole list. */
  ignoresPrefix?: boolean
  /** Responds to digest requests in place of the correct response; null restores it. */
  digest?: Responder | null
  /** Responds to requests for buckets in place of the correct response. */
  buckets?: Responder
  /** Responds to requests for the whole list in place of the correct response. */
  list?: Responder
  /** Leaves the total of the list out. */
  lacksTotal?: boolean
  /** Records of a page of a list. */
  pageSize?: number
  /** Runs before a list is sent. */
  beforeList?: () => Promise<unknown>
  /** Runs when a request for the digest arrives. */
  onDigest?: () => void
}

export type DigestSource = {
  records: VersionedRecord[]
  behaviour: DigestBehaviour
  /** What was requested since the last call: `digest`, `buckets` and `list`, in their order. */
  takeRequests: () => string[]
  /** Replaces a record, or adds it. */
  set: (number: number, change?: Partial<VersionedRecord>) => void
  remove: (...numbers: number[]) => void
}

export function versionedRecord(number: number, version: string | number = 1): VersionedRecord {
  const reference_number = `R-${number}`
  return { reference_number, full_name: `Person ${number}`, data: { status: 'open' }, version }
}

/** Lets a simulated platform serve these records with versions and digests. */
export function serveDigest(platform: SimulatedPlatform, count: number): DigestSource {
  const requests: string[] = []
  const source: DigestSource = {
    records: Array.from({ length: count }, (_, number) => versionedRecord(number)),
    behaviour: {},
    takeRequests: () => requests.splice(0),
    set(number, change = {}) {
      const { records } = source
      const reference = `R-${number}`
      const at = records.findIndex((record) => record.reference_number === reference)
      const changed = { ...(records[at] ?? versionedRecord(number)), ...change }
      if (at < 0) records.push(changed)
      else records[at] = changed
    },
    remove(...numbers) {
      const removed = new Set(numbers.map((number) => `R-${number}`))
      source.records = source.records.filter((one) => !removed.has(one.reference_number))
    },
  }
  platform.setResponse('records/cases', async (response, request) => {
    await source.behaviour.beforeList?.()
    const prefix = queryOf(request).get('prefix')
    requests.push(prefix === null ? 'list' : 'buckets')
    const responder = prefix === null ? source.behaviour.list : source.behaviour.buckets
    const respondWith = responder ?? respondList(source, prefix)
    respondWith(response, request)
  })
  platform.setResponse('records/cases/digest', (response, request) => {
    requests.push('digest')
    source.behaviour.onDigest?.()
    const responder = source.behaviour.digest ?? respondDigest(source)
    responder(response, request)
  })
  return source
}

function respondList({ records, behaviour }: DigestSource, prefix: string | null): Responder {
  const { ignoresPrefix, lacksTotal, pageSize = Number.POSITIVE_INFINITY } = behaviour
  const prefixes = prefix === null || ignoresPrefix ? null : prefix.split(',')
  const listed = prefixes
    ? records.filter((record) => isWithin(md5(record.reference_number), prefixes))
    : records
  return (response, request) => {
    const query = queryOf(request)
    const page = Number(query.get('page') ?? 1)
    const isLast = page * pageSize >= listed.length
    query.set('page', String(page + 1))
    const link: Record<string, string> = isLast ? {} : { Link: `<?${query}>; rel="next"` }
    const from = pageSize === Number.POSITIVE_INFINITY ? 0 : (page - 1) * pageSize
    const body = {
      success: true,
      platform_name: request.platform_name,
      record_type: 'cases',
      ...(lacksTotal ? {} : { total: listed.length }),
      ...(prefixes ? { prefix } : {}),
      records: listed.slice(from, from + pageSize),
    }
    respond.text(JSON.stringify(body), 'application/json', link)(response, request)
  }
}

function respondDigest({ records, behaviour }: DigestSource): Responder {
  return (response, request) => {
    const query = queryOf(request)
    const digits = Number(query.get('digits'))
    const prefixes = query.get('prefix')?.split(',') ?? ['']
    const digested = behaviour.digested?.(records) ?? records
    const members = {
      success: true,
      platform_name: request.platform_name,
      record_type: 'cases',
      digits,
      buckets: digestOf(digested, digits, prefixes),
    }
    respond.json(members)(response, request)
  }
}

/** The buckets of some records. A record without a version adds nothing to the sum. */
export function digestOf(
  records: VersionedRecord[],
  digits: number,
  prefixes: string[] = [''],
): [string, number, number][] {
  const buckets = new Map<string, { count: number; sum: bigint }>()
  for (const { reference_number, version } of records) {
    const hashed = md5(reference_number)
    if (!isWithin(hashed, prefixes)) continue
    const bucket = buckets.get(hashed.slice(0, digits)) ?? { count: 0, sum: 0n }
    const added =
      version === undefined
        ? 0n
        : BigInt(`0x${md5(`${reference_number}\u001f${version}`).slice(0, 12)}`)
    const sum = (bucket.sum + added) % 2n ** 48n
    buckets.set(hashed.slice(0, digits), { count: bucket.count + 1, sum })
  }
  return [...buckets].map(([prefix, { count, sum }]) => [prefix, count, Number(sum)])
}

function isWithin(hashed: string, prefixes: string[]): boolean {
  return prefixes.some((prefix) => hashed.startsWith(prefix))
}

function md5(text: string): string {
  return hash('md5', text, 'hex')
}

function queryOf({ path }: ReceivedRequest): URLSearchParams {
  return new URLSearchParams(path.split('?')[1])
}
