/** Platforms with one defect each. A row has the change to a conforming platform and the expected finding. */
import { gzipSync } from 'node:zlib'
import type { RuleId } from '@recordhub/platform-checker'
import type { ErrorCode } from '../../../src/errors.ts'
import { systemTimer } from '../../../src/lib/time/throughput-monitor.ts'
import { type CheckLimits, GOOD_DATA, goodRecord } from './conformance-check.ts'
import {
  type Behaviour,
  type Endpoint,
  manifestOf,
  recordsResponse,
  respond,
  type SimulatedPlatform,
} from './platform.ts'

export type Defect = {
  rule: RuleId | ErrorCode
  /** The endpoint of the finding. */
  at: string
  arrange: (platform: SimulatedPlatform) => void
  limits?: CheckLimits
  /** Matches an example of the finding. */
  found?: RegExp
}

const CASES = 'records/cases'
const JSON_TYPE = 'application/json'
const UNKNOWN_MODULE = 'records/recordhub-check-no-such-module'

/** Sets the response to requests with the correct key. Other requests are rejected. */
function respondTo(endpoint: Endpoint, responder: Behaviour) {
  return (platform: SimulatedPlatform) =>
    platform.setResponse(endpoint, (response, request) => {
      const isAuthorized = request.headers['x-platform-api-key'] === platform.source_api_key
      return (isAuthorized ? responder : respond.status(401))(response, request)
    })
}

/** Sets the response to requests with a wrong key. Other requests get the correct response. */
function rejectWith(endpoint: Endpoint, responder: Behaviour) {
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
  records(goodRecord(1, { ...GOOD_DATA, ...overrides }), goodRecord(2))
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
const many = Array.from({ length: 101 }, (_, number) => goodRecord(number))

export const DEFECTS: readonly Defect[] = [
  { rule: 'answer.type', at: CASES, arrange: text(CASES) },
  {
    rule: 'answer.slow',
    at: 'ping',
    arrange: (platform) => {
      const correct = respond.json(pingOf(platform))
      platform.queueResponses('ping', correct, respond.late(2100, correct))
    },
    limits: { timer: systemTimer },
  },
  {
    rule: 'answer.unknown_path',
    at: 'manifest',
    arrange: respondTo(UNKNOWN_MODULE, respond.json({})),
  },
  {
    rule: 'answer.changes',
    at: 'manifest',
    arrange: (platform) => {
      const manifest = manifestOf(platform.platform_name, platform.modules)
      const changing: Behaviour = (...exchange) =>
        respond.json({ ...manifest, platform_description: `Request ${++requests}` })(...exchange)
      respondTo('manifest', changing)(platform)
    },
  },
  {
    rule: 'answer.head',
    at: 'ping',
    arrange: (platform) => {
      const correct = respond.json(pingOf(platform))
      const failing: Behaviour = (response, request) =>
        (request.method === 'HEAD' ? respond.status(500) : correct)(response, request)
      respondTo('ping', failing)(platform)
    },
  },
  { rule: 'check.cut', at: CASES, arrange: () => undefined, limits: { maxRecords: 2 } },
  {
    rule: 'check.out_of_time',
    at: CASES,
    arrange: respondTo(CASES, respond.stall('{"records":[')),
    limits: { maxSeconds: 5, timer: systemTimer },
  },
  {
    rule: 'check.more',
    at: CASES,
    arrange: data(Object.fromEntries(many.map((_, number) => [`a${number}`, '&amp;']))),
  },

  {
    rule: 'key.not_checked',
    at: CASES,
    arrange: (one) => one.setResponse(CASES, respond.json(conformingRecordsOf(one))),
  },
  {
    rule: 'key.not_checked',
    at: 'ping',
    arrange: (one) => one.setResponse('ping', respond.json(pingOf(one))),
  },
  {
    rule: 'key.not_checked',
    at: 'search',
    arrange: (one) => one.setResponse('search', respond.json({ success: true, records: [] })),
  },
  {
    rule: 'key.not_checked',
    at: 'ping',
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
  { rule: 'key.status', at: CASES, arrange: rejectWith(CASES, respond.status(403)) },
  { rule: 'key.status', at: 'ping', arrange: rejectWith('ping', respond.json({ success: false })) },
  {
    rule: 'key.leaks',
    at: CASES,
    arrange: rejectWith(CASES, withStatus(401, { success: false, records: [goodRecord(1)] })),
  },
  {
    rule: 'key.leaks',
    at: 'ping',
    arrange: (platform) =>
      rejectWith('ping', withStatus(401, { message: `not ${platform.source_api_key}` }))(platform),
  },
  {
    rule: 'key.refusal_not_json',
    at: CASES,
    arrange: rejectWith(CASES, (response) => response.writeHead(401).end('No')),
  },

  {
    rule: 'manifest.shape',
    at: 'manifest',
    arrange: manifest(({ platform_title: _, ...rest }) => rest),
    found: /platform_title/,
  },
  {
    rule: 'manifest.shape',
    at: 'manifest',
    arrange: fields((one) => [{ ...one, key: 7 }]),
    found: /key/,
  },
  {
    rule: 'manifest.duplicate_module',
    at: 'manifest',
    arrange: modules((one) => [one, one]),
    found: /cases/,
  },
  {
    rule: 'manifest.duplicate_field',
    at: 'manifest',
    arrange: fields((one) => [one, one]),
    found: /status/,
  },
  {
    rule: 'manifest.record_type_unusable',
    at: 'manifest',
    arrange: modules((one) => [one, { ...one, record_type: '..' }]),
  },
  {
    rule: 'manifest.record_type_awkward',
    at: 'manifest',
    arrange: modules((one) => [one, { ...one, record_type: 'Cases' }]),
  },
  {
    rule: 'manifest.text_unusable',
    at: 'manifest',
    arrange: modules((one) => [{ ...one, module_name: 'a\u0000' }]),
  },
  {
    rule: 'manifest.member_left_out',
    at: 'manifest',
    arrange: fields(({ label: _, ...rest }) => [rest]),
    found: /field status/,
  },
  {
    rule: 'manifest.member_unknown',
    at: 'manifest',
    arrange: manifest((one) => ({ ...one, version: 1 })),
  },
  {
    rule: 'manifest.type_unknown',
    at: 'manifest',
    arrange: fields((one) => [{ ...one, type: 'varchar(255)' }]),
    found: /varchar/,
  },
  {
    rule: 'manifest.blank',
    at: 'manifest',
    arrange: modules((one) => [{ ...one, module_name: 'Cases ' }]),
  },
  {
    rule: 'manifest.title_long',
    at: 'manifest',
    arrange: manifest((one) => ({ ...one, platform_title: 'x'.repeat(101) })),
  },
  {
    rule: 'manifest.large',
    at: 'manifest',
    arrange: manifest((one) => ({ ...one, platform_description: 'x'.repeat(1_100_000) })),
  },
  { rule: 'manifest.no_modules', at: 'manifest', arrange: modules(() => []) },
  { rule: 'manifest.no_fields', at: 'manifest', arrange: fields(() => []) },

  { rule: 'records.success', at: CASES, arrange: envelope(({ success: _, ...rest }) => rest) },
  { rule: 'records.member_missing', at: CASES, arrange: envelope(({ total: _, ...rest }) => rest) },
  {
    rule: 'records.member_differs',
    at: CASES,
    arrange: envelope((one) => ({ ...one, module_name: 'Other' })),
  },
  {
    rule: 'records.total_unreadable',
    at: CASES,
    arrange: envelope((one) => ({ ...one, total: '3' })),
  },
  { rule: 'records.total_differs', at: CASES, arrange: envelope((one) => ({ ...one, total: 4 })) },
  { rule: 'records.empty', at: CASES, arrange: records() },
  {
    rule: 'records.unstable',
    at: CASES,
    arrange: (platform) => {
      const changing: Behaviour = (...exchange) => {
        const changed = [1, 2].map((number) =>
          goodRecord(number, { ...GOOD_DATA, status: `${++requests}` }),
        )
        respond.json({ ...conformingRecordsOf(platform), total: 2, records: changed })(...exchange)
      }
      respondTo(CASES, changing)(platform)
    },
  },
  {
    rule: 'records.changed',
    at: CASES,
    arrange: (platform) => {
      const more = {
        ...conformingRecordsOf(platform),
        total: 4,
        records: [4, 1, 2, 3].map((one) => goodRecord(one)),
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
    at: CASES,
    arrange: (platform) =>
      respondTo(
        CASES,
        respond.text(JSON.stringify(conformingRecordsOf(platform)), JSON_TYPE, { ETag: 'abc' }),
      )(platform),
  },
  {
    rule: 'records.etag_ignored',
    at: CASES,
    arrange: (platform) =>
      respondTo(
        CASES,
        respond.text(JSON.stringify(conformingRecordsOf(platform)), JSON_TYPE, { ETag: '"a"' }),
      )(platform),
  },
  {
    rule: 'records.etag_stale',
    at: CASES,
    arrange: (platform) => {
      const changing: Behaviour = (...exchange) => {
        const changed = [1, 2].map((number) =>
          goodRecord(number, { ...GOOD_DATA, status: `${++requests}` }),
        )
        respond.tagged(
          { ...conformingRecordsOf(platform), total: 2, records: changed },
          { ETag: '"a"' },
        )(...exchange)
      }
      respondTo(CASES, changing)(platform)
    },
  },
  {
    rule: 'records.link_unusable',
    at: CASES,
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
    at: CASES,
    arrange: (platform) => {
      const text = JSON.stringify(conformingRecordsOf(platform))
      const half = gzipSync(text).subarray(0, 20)
      const compressed: Behaviour = (response, request) =>
        (request.headers['accept-encoding'] === 'gzip'
          ? respond.text(half, JSON_TYPE, { 'Content-Encoding': 'gzip' })
          : respond.text(text, JSON_TYPE))(response, request)
      respondTo(CASES, compressed)(platform)
    },
  },

  {
    rule: 'record.reference',
    at: CASES,
    arrange: records(goodRecord(1), { ...goodRecord(2), reference_number: 7 }),
    found: /must be a string/,
  },
  {
    rule: 'record.reference',
    at: CASES,
    arrange: records(goodRecord(1), { full_name: 'A', data: {} }),
    found: /is required/,
  },
  {
    rule: 'record.reference',
    at: CASES,
    arrange: records({ ...goodRecord(2), reference_number: '' }),
  },
  { rule: 'record.name', at: CASES, arrange: records({ ...goodRecord(1), full_name: null }) },
  { rule: 'record.data', at: CASES, arrange: records({ ...goodRecord(1), data: 'none' }) },
  { rule: 'record.unusable', at: CASES, arrange: records(goodRecord(1), 7) },
  { rule: 'record.too_large', at: CASES, arrange: data({ status: 'x'.repeat(17 * 1024 * 1024) }) },
  { rule: 'record.large', at: CASES, arrange: data({ status: 'x'.repeat(1100 * 1024) }) },
  {
    rule: 'record.duplicate',
    at: CASES,
    arrange: records(goodRecord(1), goodRecord(2), goodRecord(1)),
  },
  {
    rule: 'record.reference_blank',
    at: CASES,
    arrange: records({ ...goodRecord(1), reference_number: 'R-1 ' }),
    found: /"R-1 "/,
  },
  { rule: 'record.name_empty', at: CASES, arrange: records({ ...goodRecord(1), full_name: ' ' }) },
  {
    rule: 'record.member_unknown',
    at: CASES,
    arrange: records({ ...goodRecord(1), email: 'a@b.c' }),
  },

  { rule: 'field.unknown', at: CASES, arrange: data({ colour: 'red' }) },
  { rule: 'field.required_absent', at: CASES, arrange: statusField('string', undefined, true) },
  { rule: 'field.required_null', at: CASES, arrange: statusField('string', null, true) },
  { rule: 'field.type', at: CASES, arrange: statusField('string', 7), found: /a number/ },
  { rule: 'field.type', at: CASES, arrange: statusField('integer', 'seven'), found: /a text/ },
  { rule: 'field.type', at: CASES, arrange: statusField('boolean', 1), found: /a number/ },
  { rule: 'field.date', at: CASES, arrange: statusField('date', '21.11.2026') },
  { rule: 'field.date', at: CASES, arrange: data({ created_at: '2026-02-30' }) },
  { rule: 'field.number', at: CASES, arrange: rawNumber('9007199254740993') },
  {
    rule: 'field.never_filled',
    at: CASES,
    arrange: records(goodRecord(1, { ...GOOD_DATA, status: null })),
  },
  { rule: 'field.text_strange', at: CASES, arrange: data({ status: 'a\ufffd' }) },
  { rule: 'field.text_strange', at: CASES, arrange: data({ status: ['\ud800'] }) },
  { rule: 'field.text_twice_encoded', at: CASES, arrange: data({ status: 'GrÃ¼n' }) },
  { rule: 'field.text_escaped', at: CASES, arrange: data({ status: 'A &amp; B' }) },

  {
    rule: 'search.absent',
    at: 'search',
    arrange: (one) => one.setResponse('search', respond.status(404)),
  },
  { rule: 'search.not_understood', at: 'search', arrange: search({ success: true, hits: 1 }) },
  {
    rule: 'search.ignores_query',
    at: 'search',
    arrange: search({ success: true, records: [goodRecord(1)] }),
  },
  { rule: 'search.misses', at: 'search', arrange: search({ success: true, records: [] }) },
  { rule: 'search.many', at: 'search', arrange: search({ success: true, records: many }) },
  { rule: 'search.success', at: 'search', arrange: search({ records: [] }) },
  {
    rule: 'search.special',
    at: 'search',
    arrange: respondTo('search', (response, request) =>
      (request.path.includes('%27')
        ? respond.status(500)
        : respond.json({ success: true, records: [] }))(response, request),
    ),
  },

  {
    rule: 'platform_refused_key',
    at: 'ping',
    arrange: (one) => one.setResponse('ping', respond.status(401)),
  },
  {
    rule: 'platform_not_json',
    at: 'manifest',
    arrange: (one) => one.setResponse('manifest', respond.html()),
  },
  {
    rule: 'platform_redirected',
    at: 'ping',
    arrange: (one) => one.setResponse('ping', respond.redirect('/sign-in')),
  },
  {
    rule: 'platform_answer_invalid',
    at: 'manifest',
    arrange: respondTo(
      'ping',
      respond.json({ success: true, message: '', platform_name: 'other' }),
    ),
  },
  { rule: 'platform_path_missing', at: CASES, arrange: respondTo(CASES, respond.status(404)) },
  { rule: 'platform_failed', at: CASES, arrange: respondTo(CASES, respond.status(500)) },
  {
    rule: 'check.throttled',
    at: 'manifest',
    arrange: (one) =>
      one.queueResponses(
        'manifest',
        respond.json(manifestOf(one.platform_name, one.modules)),
        THROTTLED,
      ),
  },
  {
    rule: 'platform_throttled',
    at: 'ping',
    arrange: (one) => one.setResponse('ping', THROTTLED),
  },
  { rule: 'platform_throttled', at: CASES, arrange: (one) => one.setResponse(CASES, THROTTLED) },
  {
    rule: 'platform_broke_off',
    at: CASES,
    arrange: respondTo(CASES, respond.cutOff('{"records":[')),
  },
  {
    rule: 'platform_answer_invalid',
    at: CASES,
    arrange: respondTo(CASES, respond.json({ success: true })),
  },
  {
    rule: 'platform_answer_invalid',
    at: CASES,
    arrange: respondTo(CASES, respond.text('{"records":[nope]}', JSON_TYPE)),
  },
  {
    rule: 'platform_answer_invalid',
    at: CASES,
    arrange: envelope((one) => ({ ...one, record_type: 'x' })),
  },
  {
    rule: 'platform_name_differs',
    at: CASES,
    arrange: envelope((one) => ({ ...one, platform_name: 'x' })),
  },
  {
    rule: 'platform_reports_failure',
    at: CASES,
    arrange: respondTo(CASES, respond.json({ success: false })),
  },
  {
    rule: 'platform_page_refused',
    at: CASES,
    arrange: respondTo(
      CASES,
      respond.text('{"records":[]}', JSON_TYPE, { Link: '<?>; rel="next"' }),
    ),
  },
  {
    rule: 'platform_page_refused',
    at: CASES,
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

function withStatus(status: number, body: object): Behaviour {
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
