/** Platforms that offer a digest with one defect each. */
import { hash } from 'node:crypto'
import { createDigest } from '@recordhub/protocol'
import { validRecord } from './conformance-check.ts'
import { recordsResponse, respond, type SimulatedPlatform } from './platform.ts'
import type { Defect } from './platform-defects.ts'

type Listed = ReturnType<typeof validRecord> & { version?: unknown }

export type DigestFaults = {
  records?: Listed[]
  /** The records that the digest contains; those of the list by default. */
  digested?: () => Listed[]
  /** Changes the body of the digest response. */
  digest?: (body: object) => object
  digestStatus?: number
  /** Changes the body of the response to `?prefix=`. */
  prefix?: (body: ReturnType<typeof recordsResponse> & { prefix: string }) => object
  prefixStatus?: number
  /** The response to `?prefix=` is the first of two pages. */
  prefixHasPages?: boolean
  ignoresPrefix?: boolean
  /** Called for each request for all records. */
  list?: () => Listed[]
}

const md5 = (text: string) => hash('md5', text)

export const VERSIONED: readonly Listed[] = Array.from({ length: 20 }, (_, index) => ({
  ...validRecord(index + 1),
  version: index % 2 === 0 ? index : `v${index} ü`,
}))

/** Serves versions, a digest and reads of prefixes of the module `cases`. */
export function offerDigest(faults: DigestFaults = {}): (platform: SimulatedPlatform) => void {
  return (platform) => {
    const [module] = platform.modules
    if (!module) throw new Error('The platform has no module')
    const records = faults.records ?? VERSIONED
    const isAuthorized = (headers: object) =>
      Object(headers)['x-platform-api-key'] === platform.source_api_key
    platform.setResponse('records/cases', (response, request) => {
      if (!isAuthorized(request.headers)) return respond.status(401)(response, request)
      const prefix = parameters(request.path).get('prefix')
      const all = recordsResponse(platform.platform_name, {
        ...module,
        records: [...(faults.list?.() ?? records)],
      })
      if (prefix === null || faults.ignoresPrefix) return respond.json(all)(response, request)
      if (faults.prefixStatus) return respond.status(faults.prefixStatus)(response, request)
      const selected = records.filter((one) => md5(one.reference_number).startsWith(prefix))
      if (faults.prefixHasPages) {
        response.setHeader('Link', `<?prefix=${prefix}&page=2>; rel="next"`)
        selected.splice(0, 1)
      }
      const body = { ...all, prefix, total: selected.length, records: selected }
      respond.json(faults.prefix?.(body) ?? body)(response, request)
    })
    platform.setResponse('records/cases/digest', (response, request) => {
      if (!isAuthorized(request.headers)) return respond.status(401)(response, request)
      if (faults.digestStatus) return respond.status(faults.digestStatus)(response, request)
      const digits = Number(parameters(request.path).get('digits'))
      const prefix = parameters(request.path).get('prefix')
      const digest = createDigest({ digits, prefixes: prefix === null ? null : [prefix] }, md5)
      for (const { reference_number, version } of faults.digested?.() ?? records) {
        digest.add(reference_number, String(version ?? ''))
      }
      const buckets = Array.from(digest.buckets, ([name, { count, sum }]) => [
        name,
        count,
        `${sum}`,
      ])
      const { platform_name } = platform
      const body = { success: true, platform_name, record_type: 'cases', digits, buckets }
      respond.json(faults.digest?.(body) ?? body)(response, request)
    })
  }
}

function parameters(path: string): URLSearchParams {
  return new URLSearchParams(path.split('?')[1])
}

/** The records with another version of one of them. */
export function withVersion(reference: string, version: unknown): Listed[] {
  return VERSIONED.map((one) => (one.reference_number === reference ? { ...one, version } : one))
}

let reads = 0
let digests = 0

const DEFECTS_OF_CASES: readonly Omit<Defect, 'endpoint'>[] = [
  {
    rule: 'digest.version',
    arrange: offerDigest({ records: withVersion('R-3', 1.5) }),
    example: /^$/,
  },
  { rule: 'digest.version_missing', arrange: offerDigest({ records: withVersion('R-3', null) }) },
  {
    rule: 'digest.version_unstable',
    arrange: offerDigest({
      list: () => VERSIONED.map((one) => ({ ...one, version: `${one.version} ${++reads}` })),
    }),
  },
  { rule: 'digest.failed', arrange: offerDigest({ digestStatus: 405 }) },
  { rule: 'digest.failed', arrange: offerDigest({ prefixStatus: 404 }) },
  { rule: 'digest.invalid', arrange: offerDigest({ digest: () => ({ success: true }) }) },
  {
    rule: 'digest.disagrees',
    arrange: offerDigest({ digested: () => withVersion('R-7', 'another') }),
    example: /^version 6$/,
  },
  {
    rule: 'digest.disagrees',
    arrange: offerDigest({
      digested: () => withVersion('R-7', 'another'),
      ignoresPrefix: true,
    }),
    example: /^version 6$/,
  },
  {
    rule: 'digest.disagrees',
    arrange: offerDigest({
      digested: () => [...VERSIONED, { ...validRecord(99), version: 1 }],
    }),
    example: /1 in the digest, none in the list/,
  },
  {
    // Only the first digest is of another version.
    rule: 'digest.changed',
    arrange: offerDigest({
      digested: () => (digests++ === 0 ? withVersion('R-7', 'another') : [...VERSIONED]),
    }),
  },
  { rule: 'digest.prefix_ignored', arrange: offerDigest({ ignoresPrefix: true }) },
  {
    rule: 'digest.prefix_not_repeated',
    arrange: offerDigest({ prefix: ({ prefix: _, ...body }) => body }),
  },
  {
    rule: 'digest.prefix_incomplete',
    arrange: offerDigest({ prefix: (body) => ({ ...body, total: 0, records: [] }) }),
  },
]

export const DIGEST_DEFECTS: readonly Defect[] = DEFECTS_OF_CASES.map((defect) => ({
  ...defect,
  endpoint: 'records/cases',
}))
