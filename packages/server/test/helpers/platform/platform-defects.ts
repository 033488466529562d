/** Platforms with one defect each. A row has the change to a conforming platform and the expected finding. */
import { gzipSync } from 'node:zlib'
import type { RuleId } from '@recordhub/platform-checker'
import type { ErrorCode } from '../../../src/errors.ts'
import { systemTimer } from '../../../src/lib/time/throughput-monitor.ts'
import { type CheckLimits, VALID_DATA, validRecord } from './conformance-check.ts'
import {
  type Endpoint,
  manifestOf,
  type Responder,
  recordsResponse,
  respond,
  type SimulatedPlatform,
} from './platform.ts'

export type Defect = {
  rule: RuleId | ErrorCode
  /** The endpoint of the finding. */
  endpoint: string
  arrange: (platform: SimulatedPlatform) => void
  limits?: CheckLimits
  /** Matches an example of the finding. */
  example?: RegExp
}

const CASES = 'records/cases'
const JSON_TYPE = 'application/json'
const UNKNOWN_MODULE = 'records/recordhub-check-no-such-module'

/** Sets the response to requests with the correct key. Other requests are rejected. */
function respondTo(endpoint: Endpoint, responder: Responder) {
  return (platform: SimulatedPlatform) =>
    platform.setResponse(endpoint, (response, request) => {
      const isAuthorized = request.headers['x-platform-api-key'] === platform.source_api_key
      return (isAuthorized ? responder : respond.status(401))(response, request)
    })
}

/** Sets the response to requests with a wrong key. Other requests get the correct response. */
function rejectWith(endpoint: Endpoint, responder: Responder) {
  return (platform: SimulatedPlatform) =>
    platform.setResponse(endpoint, (response, request) => {
      const isAuthorized = request.headers['x-platform-api-key'] === platform.source_api_key
      if (!isAuthorized) return responder(response, request)
      if (endpoint === 'ping') return respond.json(pingOf(platform))(response, request)
      return respond.json(conformingRecordsOf(platform))(response, request)
    })
}

const pingOf = ({ platform_name }: SimulatedPlatform) => ({
  success: true,
  message: 'Online',
  platform_name,
})

function conformingRecordsOf({ platform_name, modules: [module] }: SimulatedPlatform) {
  if (!module) throw new Error('The platform has no module')
  return recordsResponse(platform_name, module)
}

/** Changes the manifest. */
function manifest(change: (manifest: ReturnType<typeof manifestOf>) => object) {
  return (platform: SimulatedPlatform) => {
    const changed = change(manifestOf(platform.platform_name, platform.modules))
    respondTo('manifest', respond.json(changed))(platform)
  }
}

type ManifestModule = ReturnType<typeof manifestOf>['modules'][number]
const modules = (change: (module: ManifestModule) => object[]) =>
  manifest((manifest) => ({ ...manifest, modules: manifest.modules.flatMap(change) }))
const fields = (change: (field: ManifestModule['fields'][number]) => object[]) =>
  modules((module) => [{ ...module, fields: module.fields.flatMap(change) }])

/** Changes the members of the records response outside of `records`. */
function envelope(change: (response: ReturnType<typeof conformingRecordsOf>) => object) {
  return (platform: SimulatedPlatform) =>
    respondTo(CASES, respond.json(change(conformingRecordsOf(platform))))(platform)
}

function records(...list: unknown[]) {
  return ({ modules: [module] }: SimulatedPlatform) => {
    if (module) module.records = list
  }
}

const data = (overrides: object) =>
  records(validRecord(1, { ...VALID_DATA, ...overrides }), validRecord(2))
/** Changes the type and the value of the field `status`. */
const statusField =
  (type: string, value: unknown, required = false) =>
  (platform: SimulatedPlatform) => {
    data({ status: value })(platform)
    const [module] = platform.modules
    const field = module?.fields.find(({ key }) => key === 'status')
    if (field) Object.assign(field, { type, required })
  }

let requests = 0
const THROTTLED = respond.status(429, { 'Retry-After': '0' })
const search = (body: unknown) => respondTo('search', respond.json(body))
const many = Array.from({ length: 101 }, (_, number) => validRecord(number))

export const DEFECTS: readonly Defect[] = [
  { rule: 'response.type', endpoint: CASES, arrange: text(CASES) },
  {
    rule: 'response.slow',
    endpoint: 'ping',
    arrange: (platform) => {
      const correct = respond.json(pingOf(platform))
      platform.queueResponses('ping', correct, respond.delayed(2100, correct))
    },
    limits: { timer: systemTimer },
  },
  {
    rule: 'response.unknown_path',
    endpoint: 'manifest',
    arrange: respondTo(UNKNOWN_MODULE, respond.json({})),
  },
  {
    rule: 'response.changes',
    endpoint: 'manifest',
    arrange: (platform) => {
      const manifest = manifestOf(platform.platform_name, platform.modules)
      const changing: Responder = (...exchange) =>
        respond.json({ ...manifest, platform_description: `Request ${++requests}` })(...exchange)
      respondTo('manifest', changing)(platform)
    },
  },
  {
    rule: 'response.head',
    endpoint: 'ping',
    arrange: (platform) => {
      const correct = respond.json(pingOf(platform))
      const failing: Responder = (response, request) =>
        (request.method === 'HEAD' ? respond.status(500) : correct)(response, request)
      respondTo('ping', failing)(platform)
    },
  },
  { rule: 'check.cut', endpoint: CASES, arrange: () => undefined, limits: { maxRecords: 2 } },
  {
    rule: 'check.out_of_time',
    endpoint: CASES,
    arrange: respondTo(CASES, respond.stall('{"records":[')),
    limits: { maxSeconds: 5, timer: systemTimer },
  },
  {
    rule: 'check.more',
    endpoint: CASES,
    arrange: data(Object.fromEntries(many.map((_, number) => [`a${number}`, '&amp;']))),
  },

  {
    rule: 'key.not_checked',
    endpoint: CASES,
    arrange: (one) => one.setResponse(CASES, respond.json(conformingRecordsOf(one))),
  },
  {
    rule: 'key.not_checked',
    endpoint: 'ping',
    arrange: (one) => one.setResponse('ping', respond.json(pingOf(one))),
  },
  {
    rule: 'key.not_checked',
    endpoint: 'search',
    arrange: (one) => one.setResponse('search', respond.json({ success: true, records: [] })),
  },
  {
    rule: 'key.not_checked',
    endpoint: 'ping',
    arrange: (platform) => {
      platform.setResponse('ping', (response, request) => {
        const key = String(request.headers['x-platform-api-key']).toLowerCase()
        const isEqualIgnoringCase = key === platform.source_api_key.toLowerCase()
        return (isEqualIgnoringCase ? respond.json(pingOf(platform)) : respond.status(401))(
          response,
          request,
        )
      })
    },
  },
  { rule: 'key.status', endpoint: CASES, arrange: rejectWith(CASES, respond.status(403)) },
  {
    rule: 'key.status',
    endpoint: 'ping',
    arrange: rejectWith('ping', respond.json({ success: false })),
  },
  {
    rule: 'key.leaks',
    endpoint: CASES,
    arrange: rejectWith(CASES, withStatus(401, { success: false, records: [validRecord(1)] })),
  },
  {
    rule: 'key.leaks',
    endpoint: 'ping',
    arrange: (platform) =>
      rejectWith('ping', withStatus(401, { message: `not ${platform.source_api_key}` }))(platform),
  },
  {
    rule: 'key.rejection_not_json',
    endpoint: CASES,
    arrange: rejectWith(CASES, (response) => response.writeHead(401).end('No')),
  },

  {
    rule: 'manifest.shape',
    endpoint: 'manifest',
    arrange: manifest(({ platform_title: _, ...rest }) => rest),
    example: /platform_title/,
  },
  {
    rule: 'manifest.shape',
    endpoint: 'manifest',
    arrange: fields((one) => [{ ...one, key: 7 }]),
    example: /key/,
  },
  {
    rule: 'manifest.duplicate_module',
    endpoint: 'manifest',
    arrange: modules((one) => [one, one]),
    example: /cases/,
  },
  {
    rule: 'manifest.duplicate_field',
    endpoint: 'manifest',
    arrange: fields((one) => [one, one]),
    example: /status/,
  },
  {
    rule: 'manifest.record_type_unusable',
    endpoint: 'manifest',
    arrange: modules((one) => [one, { ...one, record_type: '..' }]),
  },
  {
    rule: 'manifest.record_type_unusual',
    endpoint: 'manifest',
    arrange: modules((one) => [one, { ...one, record_type: 'Cases' }]),
  },
  {
    rule: 'manifest.text_unusable',
    endpoint: 'manifest',
    arrange: modules((one) => [{ ...one, module_name: 'a\u0000' }]),
  },
  {
    rule: 'manifest.member_left_out',
    endpoint: 'manifest',
    arrange: fields(({ label: _, ...rest }) => [rest]),
    example: /field status/,
  },
  {
    rule: 'manifest.member_unknown',
    endpoint: 'manifest',
    arrange: manifest((one) => ({ ...one, version: 1 })),
  },
  {
    rule: 'manifest.type_unknown',
    endpoint: 'manifest',
    arrange: fields((one) => [{ ...one, type: 'varchar(255)' }]),
    example: /varchar/,
  },
  {
    rule: 'manifest.blank',
    endpoint: 'manifest',
    arrange: modules((one) => [{ ...one, module_name: 'Cases ' }]),
  },
  {
    rule: 'manifest.title_long',
    endpoint: 'manifest',
    arrange: manifest((one) => ({ ...one, platform_title: 'x'.repeat(101) })),
  },
  {
    rule: 'manifest.large',
    endpoint: 'manifest',
    arrange: manifest((one) => ({ ...one, platform_description: 'x'.repeat(1_100_000) })),
  },
  { rule: 'manifest.no_modules', endpoint: 'manifest', arrange: modules(() => []) },
  { rule: 'manifest.no_fields', endpoint: 'manifest', arrange: fields(() => []) },

  {
    rule: 'records.success',
    endpoint: CASES,
    arrange: envelope(({ success: _, ...rest }) => rest),
  },
  {
    rule: 'records.member_missing',
    endpoint: CASES,
    arrange: envelope(({ total: _, ...rest }) => rest),
  },
  {
    rule: 'records.member_differs',
    endpoint: CASES,
    arrange: envelope((one) => ({ ...one, module_name: 'Other' })),
  },
  {
    rule: 'records.total_unreadable',
    endpoint: CASES,
    arrange: envelope((one) => ({ ...one, total: '3' })),
  },
  {
    rule: 'records.total_differs',
    endpoint: CASES,
    arrange: envelope((one) => ({ ...one, total: 4 })),
  },
  { rule: 'records.empty', endpoint: CASES, arrange: records() },
  {
    rule: 'records.unstable',
    endpoint: CASES,
    arrange: (platform) => {
      const changing: Responder = (...exchange) => {
        const changed = [1, 2].map((number) =>
          validRecord(number, { ...VALID_DATA, status: `${++requests}` }),
        )
        respond.json({ ...conformingRecordsOf(platform), total: 2, records: changed })(...exchange)
      }
      respondTo(CASES, changing)(platform)
    },
  },
  {
    rule: 'records.changed',
    endpoint: CASES,
    arrange: (platform) => {
      const more = {
        ...conformingRecordsOf(platform),
        total: 4,
        records: [4, 1, 2, 3].map((one) => validRecord(one)),
      }
      platform.queueResponses(
        CASES,
        respond.json(conformingRecordsOf(platform)),
        respond.json(more),
      )
    },
  },
  {
    rule: 'records.etag_unusable',
    endpoint: CASES,
    arrange: (platform) =>
      respondTo(
        CASES,
        respond.text(JSON.stringify(conformingRecordsOf(platform)), JSON_TYPE, { ETag: 'abc' }),
      )(platform),
  },
  {
    rule: 'records.etag_ignored',
    endpoint: CASES,
    arrange: (platform) =>
      respondTo(
        CASES,
        respond.text(JSON.stringify(conformingRecordsOf(platform)), JSON_TYPE, { ETag: '"a"' }),
      )(platform),
  },
  {
    rule: 'records.etag_seconds',
    endpoint: CASES,
    arrange: (platform) =>
      respondTo(
        CASES,
        respond.conditional(conformingRecordsOf(platform), { ETag: '"3-20261121073000"' }),
      )(platform),
  },
  {
    rule: 'records.etag_stale',
    endpoint: CASES,
    arrange: (platform) => {
      const changing: Responder = (...exchange) => {
        const changed = [1, 2].map((number) =>
          validRecord(number, { ...VALID_DATA, status: `${++requests}` }),
        )
        respond.conditional(
          { ...conformingRecordsOf(platform), total: 2, records: changed },
          { ETag: '"a"' },
        )(...exchange)
      }
      respondTo(CASES, changing)(platform)
    },
  },
  {
    rule: 'records.link_unusable',
    endpoint: CASES,
    arrange: (platform) =>
      respondTo(
        CASES,
        respond.text(JSON.stringify(conformingRecordsOf(platform)), JSON_TYPE, {
          Link: '?page=2; rel=next',
        }),
      )(platform),
  },
  {
    rule: 'records.gzip_broken',
    endpoint: CASES,
    arrange: (platform) => {
      const text = JSON.stringify(conformingRecordsOf(platform))
      const half = gzipSync(text).subarray(0, 20)
      const compressed: Responder = (response, request) =>
        (request.headers['accept-encoding'] === 'gzip'
          ? respond.text(half, JSON_TYPE, { 'Content-Encoding': 'gzip' })
          : respond.text(text, JSON_TYPE))(response, request)
      respondTo(CASES, compressed)(platform)
    },
  },

  {
    rule: 'record.reference',
    endpoint: CASES,
    arrange: records(validRecord(1), { ...validRecord(2), reference_number: 7 }),
    example: /must be a string/,
  },
  {
    rule: 'record.reference',
    endpoint: CASES,
    arrange: records(validRecord(1), { full_name: 'A', data: {} }),
    example: /is required/,
  },
  {
    rule: 'record.reference',
    endpoint: CASES,
    arrange: records({ ...validRecord(2), reference_number: '' }),
  },
  {
    rule: 'record.name',
    endpoint: CASES,
    arrange: records({ ...validRecord(1), full_name: null }),
  },
  { rule: 'record.data', endpoint: CASES, arrange: records({ ...validRecord(1), data: 'none' }) },
  { rule: 'record.unusable', endpoint: CASES, arrange: records(validRecord(1), 7) },
  {
    rule: 'record.too_large',
    endpoint: CASES,
    arrange: data({ status: 'x'.repeat(17 * 1024 * 1024) }),
  },
  { rule: 'record.large', endpoint: CASES, arrange: data({ status: 'x'.repeat(1100 * 1024) }) },
  {
    rule: 'record.duplicate',
    endpoint: CASES,
    arrange: records(validRecord(1), validRecord(2), validRecord(1)),
  },
  {
    rule: 'record.reference_blank',
    endpoint: CASES,
    arrange: records({ ...validRecord(1), reference_number: 'R-1 ' }),
    example: /"R-1 "/,
  },
  {
    rule: 'record.name_empty',
    endpoint: CASES,
    arrange: records({ ...validRecord(1), full_name: ' ' }),
  },
  {
    rule: 'record.member_unknown',
    endpoint: CASES,
    arrange: records({ ...validRecord(1), email: 'a@b.c' }),
  },

  { rule: 'field.unknown', endpoint: CASES, arrange: data({ colour: 'red' }) },
  {
    rule: 'field.required_absent',
    endpoint: CASES,
    arrange: statusField('string', undefined, true),
  },
  { rule: 'field.required_null', endpoint: CASES, arrange: statusField('string', null, true) },
  { rule: 'field.type', endpoint: CASES, arrange: statusField('string', 7), example: /a number/ },
  {
    rule: 'field.type',
    endpoint: CASES,
    arrange: statusField('integer', 'seven'),
    example: /a text/,
  },
  { rule: 'field.type', endpoint: CASES, arrange: statusField('boolean', 1), example: /a number/ },
  { rule: 'field.date', endpoint: CASES, arrange: statusField('date', '21.11.2026') },
  { rule: 'field.date', endpoint: CASES, arrange: data({ created_at: '2026-02-30' }) },
  { rule: 'field.number', endpoint: CASES, arrange: rawNumber('9007199254740993') },
  {
    rule: 'field.never_filled',
    endpoint: CASES,
    arrange: records(validRecord(1, { ...VALID_DATA, status: null })),
  },
  { rule: 'field.text_strange', endpoint: CASES, arrange: data({ status: 'a\ufffd' }) },
  { rule: 'field.text_strange', endpoint: CASES, arrange: data({ status: ['\ud800'] }) },
  { rule: 'field.text_twice_encoded', endpoint: CASES, arrange: data({ status: 'GrÃ¼n' }) },
  { rule: 'field.text_escaped', endpoint: CASES, arrange: data({ status: 'A &amp; B' }) },

  {
    rule: 'search.absent',
    endpoint: 'search',
    arrange: (one) => one.setResponse('search', respond.status(404)),
  },
  {
    rule: 'search.not_understood',
    endpoint: 'search',
    arrange: search({ success: true, hits: 1 }),
  },
  {
    rule: 'search.ignores_query',
    endpoint: 'search',
    arrange: search({ success: true, records: [validRecord(1)] }),
  },
  { rule: 'search.misses', endpoint: 'search', arrange: search({ success: true, records: [] }) },
  { rule: 'search.many', endpoint: 'search', arrange: search({ success: true, records: many }) },
  { rule: 'search.success', endpoint: 'search', arrange: search({ records: [] }) },
  {
    rule: 'search.special',
    endpoint: 'search',
    arrange: respondTo('search', (response, request) =>
      (request.path.includes('%27')
        ? respond.status(500)
        : respond.json({ success: true, records: [] }))(response, request),
    ),
  },

  {
    rule: 'platform_rejected_key',
    endpoint: 'ping',
    arrange: (one) => one.setResponse('ping', respond.status(401)),
  },
  {
    rule: 'platform_not_json',
    endpoint: 'manifest',
    arrange: (one) => one.setResponse('manifest', respond.html()),
  },
  {
    rule: 'platform_redirected',
    endpoint: 'ping',
    arrange: (one) => one.setResponse('ping', respond.redirect('/sign-in')),
  },
  {
    rule: 'platform_response_invalid',
    endpoint: 'manifest',
    arrange: respondTo(
      'ping',
      respond.json({ success: true, message: '', platform_name: 'other' }),
    ),
  },
  {
    rule: 'platform_path_missing',
    endpoint: CASES,
    arrange: respondTo(CASES, respond.status(404)),
  },
  { rule: 'platform_failed', endpoint: CASES, arrange: respondTo(CASES, respond.status(500)) },
  {
    rule: 'check.throttled',
    endpoint: 'manifest',
    arrange: (one) =>
      one.queueResponses(
        'manifest',
        respond.json(manifestOf(one.platform_name, one.modules)),
        THROTTLED,
      ),
  },
  {
    rule: 'platform_throttled',
    endpoint: 'ping',
    arrange: (one) => one.setResponse('ping', THROTTLED),
  },
  {
    rule: 'platform_throttled',
    endpoint: CASES,
    arrange: (one) => one.setResponse(CASES, THROTTLED),
  },
  {
    rule: 'platform_broke_off',
    endpoint: CASES,
    arrange: respondTo(CASES, respond.truncated('{"records":[')),
  },
  {
    rule: 'platform_response_invalid',
    endpoint: CASES,
    arrange: respondTo(CASES, respond.json({ success: true })),
  },
  {
    rule: 'platform_response_invalid',
    endpoint: CASES,
    arrange: respondTo(CASES, respond.text('{"records":[nope]}', JSON_TYPE)),
  },
  {
    rule: 'platform_response_invalid',
    endpoint: CASES,
    arrange: envelope((one) => ({ ...one, record_type: 'x' })),
  },
  {
    rule: 'platform_name_differs',
    endpoint: CASES,
    arrange: envelope((one) => ({ ...one, platform_name: 'x' })),
  },
  {
    rule: 'platform_reports_failure',
    endpoint: CASES,
    arrange: respondTo(CASES, respond.json({ success: false })),
  },
  {
    rule: 'records.last_page_linked',
    endpoint: CASES,
    arrange: (platform) => {
      const page = JSON.stringify(conformingRecordsOf(platform))
      respondTo(CASES, respond.text(page, JSON_TYPE, { Link: '<?>; rel="next"' }))(platform)
    },
  },
  {
    rule: 'platform_page_rejected',
    endpoint: CASES,
    arrange: respondTo(CASES, endlessPages()),
  },
  {
    rule: 'platform_page_rejected',
    endpoint: CASES,
    arrange: respondTo(
      CASES,
      respond.text('{"records":[]}', JSON_TYPE, { Link: '<?>; rel="next"' }),
    ),
  },
  {
    rule: 'platform_page_rejected',
    endpoint: CASES,
    arrange: respondTo(
      CASES,
      respond.text('{"records":[]}', JSON_TYPE, { Link: '<http://[::1]/>; rel="next"' }),
    ),
  },
]

function text(endpoint: Endpoint) {
  return (platform: SimulatedPlatform) =>
    respondTo(
      endpoint,
      respond.text(JSON.stringify(conformingRecordsOf(platform)), 'text/plain'),
    )(platform)
}

/** Always the same page, with a link to a page that was not requested before. */
function endlessPages(): Responder {
  const page = JSON.stringify({ success: true, records: [validRecord(1)] })
  return (...exchange) => {
    requests += 1
    const Link = `<?page=${requests}>; rel="next"`
    respond.text(page, JSON_TYPE, { Link })(...exchange)
  }
}

function withStatus(status: number, body: object): Responder {
  return (response) => {
    response.writeHead(status, { 'Content-Type': JSON_TYPE }).end(JSON.stringify(body))
  }
}

function rawNumber(token: string) {
  return (platform: SimulatedPlatform) => {
    data({ status: '@@' })(platform)
    const response = JSON.stringify(conformingRecordsOf(platform)).replace('"@@"', token)
    respondTo(CASES, respond.text(response, JSON_TYPE))(platform)
  }
}
