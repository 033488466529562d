/**
 * Faulty platforms in a pull, one per row. An earlier pull has read `R-1` to `R-4` from each of them;
 * `R-9` is new.
 */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { PullCounts } from '@recordhub/protocol'
import { sha256 } from '../../../src/lib/crypto/hash.ts'
import { type Responder, respond, simulatedRecord } from './platform.ts'

export const PULLED_RECORDS = [1, 2, 3, 4].map((number) => simulatedRecord(number))
const [first, second, third, fourth] = PULLED_RECORDS
const added = simulatedRecord(9)
const json = 'application/json'
const text = JSON.stringify(added)
const prefix = `{"success":true,"records":[${text},`
const complete = JSON.stringify({ success: true, records: [...PULLED_RECORDS, added] })
const oversized = `{"records":[${text}],"x":"${'x'.repeat(8 * 1024 * 1024)}"}`

export type PullFault = {
  name: string
  /** Null for a platform that refuses connections. */
  responder: Responder | null
  /** The expected error. Rows with the same cause have the same error. */
  error: RegExp
  /** The number of records requests. */
  requests: number
  /** Whether the hub stores `R-9`, because it arrived completely before the failure. */
  storesNewRecord: boolean
}

const TRUNCATED = /the compressed response was cut off/
const FATAL =
  '<br />\n<b>Fatal error</b>:  Uncaught Error: a &lt; b in /app/a.php:3\nStack trace:\n#0 {main}\n  thrown in <b>/app/a.php</b> on line <b>3</b><br />\n'
const PHP_FATAL = /PHP wrote .*"Fatal error: Uncaught Error: a < b in \/app\/a\.php:3"/
const HTML_PAGE = /an HTML page instead of JSON/
const SILENT = /it sent nothing for 0\.5 s/

/** @param otherServer the URL of another server, to which the hub must send no request. */
export function createPullFaults(otherServer: string): PullFault[] {
  const beforeRecord: readonly (readonly [string, Responder | null, RegExp, number?])[] = [
    ['500', respond.status(500), /responded with HTTP 500/],
    ['503 for every request', respond.status(503), /responded with HTTP 503/, 4],
    ['a long Retry-After', respond.status(429, { 'Retry-After': '3600' }), /wait 3600 s/],
    ['401', respond.status(401), /rejected the source API key/],
    ['404', respond.status(404), /no endpoint at \/api\/hub\/records\/cases/],
    ['refuses connections', null, /the connection was refused/, 0],
    [
      'closes the connection',
      respond.disconnect(),
      /cannot be reached \(the connection was cut off/,
      2,
    ],
    [
      'does not speak HTTP',
      (response) => response.socket?.end('SSH-2.0\r\n\r\n'),
      /not valid HTTP/,
    ],
    ['hangs', () => undefined, /it sent nothing/],
    ['hangs before the body', (response) => response.writeHead(200).flushHeaders(), SILENT],
    ['an HTML page', respond.html(), HTML_PAGE],
    ['HTML with the type of JSON', respond.text('<html>', json), HTML_PAGE],
    ['an empty response', respond.text('', json), /it is empty/],
    ['a list', respond.json([added]), /it is not an object/],
    ['no records', respond.json({ success: true, total: 0 }), /it has no list "records"/],
    [
      'records with keys, as PHP writes them after array_filter',
      respond.json({ success: true, total: 1, records: { 1: {} } }),
      /"records" is not a list but an object with keys. PHP: .*array_values\(\$records\)/,
    ],
    [
      'redirects to another host',
      respond.redirect(`${otherServer}/api/hub/`),
      /redirect to http.*does not follow/,
    ],
    [
      'reports a failure',
      respond.json({ success: false, message: 'Closed' }),
      /reported a failure .*: Closed/,
    ],
    [
      'another platform_name',
      respond.json({ platform_name: 'other', records: [added] }),
      /"other"/,
    ],
    ['another record_type', respond.json({ record_type: 'people', records: [added] }), /"people"/],
    [
      'invalid gzip',
      respond.text(complete, json, { 'Content-Encoding': 'gzip' }),
      /compressed data are damaged/,
    ],
    ['compress', respond.text(complete, json, { 'Content-Encoding': 'compress' }), /"compress"/],
  ]
  const afterRecord: readonly (readonly [string, Responder, RegExp])[] = [
    ['hangs within the body', respond.stall(prefix), SILENT],
    ['sends too slowly', respond.trickle(prefix, 20), /fewer than 1024 bytes per second for 1 s/],
    [
      'closes the connection within the body',
      respond.truncated(prefix),
      /connection closed .*the response was cut off/,
    ],
    ['ends too early', respond.text(prefix, json), /ends too early, at byte \d+/],
    ['truncated gzip', compressed(gzipSync, 'gzip'), TRUNCATED],
    ['truncated Brotli', compressed(brotliCompressSync, 'br'), TRUNCATED],
    [
      'a large member outside of records',
      respond.text(gzipSync(oversized), json, gzipped),
      /too large outside of "records"/,
    ],
    [
      'a record that is not JSON',
      respond.text(`${prefix}nope]}`, json),
      /record 2 is not valid JSON/,
    ],
    [
      'invalid UTF-8',
      respond.text(latin1(`${prefix}{"a":"\xe4"}]}`), json),
      /record 2 is not valid UTF-8; probably it is Latin-1/,
    ],
    [
      'NaN',
      respond.text(`${prefix}{"a":NaN}]}`, json),
      /record 2 is not valid JSON \(it contains NaN at position 6, .*send null/,
    ],
    ['a fatal error of PHP', respond.text(`${prefix}${FATAL}`, json), PHP_FATAL],
    [
      'a fatal error of PHP within a record',
      respond.text(`${prefix}{"a":${FATAL}`, json),
      PHP_FATAL,
    ],
    [
      'a warning of PHP in a record',
      respond.text(`${prefix}{${FATAL}"a":1}]}`, json),
      /record 2 is not valid JSON \(PHP wrote/,
    ],
    [
      'an extra bracket at the end',
      respond.text(`{"records":[${text}]}}`, json),
      /unmatched closing bracket/,
    ],
    ['records twice', respond.text(`{"records":[${text}],"records":[]}`, json), /"records" twice/],
    ['circular pages', respond.text(`{"records":[${text}]}`, json, link('?')), /already read/],
    [
      'a next page on another host',
      respond.text(`{"records":[${text}]}`, json, link(otherServer)),
      /is sent only to/,
    ],
  ]
  return [
    ...beforeRecord.map(
      ([name, responder, error, requests = 1]): PullFault => ({
        name,
        responder,
        error,
        requests,
        storesNewRecord: false,
      }),
    ),
    ...afterRecord.map(
      ([name, responder, error]): PullFault => ({
        name,
        responder,
        error,
        requests: 1,
        storesNewRecord: true,
      }),
    ),
  ]
}

export type SuccessfulPull = {
  name: string
  /** The responses to the next requests, one each. Later responses are correct. */
  responses: Responder[]
  counts: Partial<PullCounts>
  /** The warnings of the task. */
  warning?: RegExp
}

/** The number of records with which the missing threshold applies if all but one are missing. */
export const RECORDS_ABOVE_THRESHOLD = Array.from({ length: 11 }, (_, number) =>
  simulatedRecord(number + 1),
)

const unchanged = { received: 4, unchanged: 4 }
const fiveReceived = { received: 5, unchanged: 4 }

export const SUCCESSFUL_PULLS: readonly SuccessfulPull[] = [
  { name: 'correct', responses: [], counts: unchanged },
  { name: '503, then correct', responses: [respond.status(503)], counts: unchanged },
  {
    name: '429 with Retry-After, then correct',
    responses: [respond.status(429, { 'Retry-After': '7' })],
    counts: unchanged,
  },
  {
    name: 'a late first byte',
    responses: [respond.delayed(100, respond.records([...PULLED_RECORDS, added]))],
    counts: { ...fiveReceived, created: 1 },
  },
  {
    name: 'JSON with the type of text',
    responses: [respond.records([...PULLED_RECORDS, added], { type: 'text/plain' })],
    counts: { ...fiveReceived, created: 1 },
    warning: /its Content-Type is text\/plain/,
  },
  {
    name: 'JSON with the type of HTML, which PHP sends by default',
    responses: [respond.records([...PULLED_RECORDS, added], { type: 'text/html; charset=UTF-8' })],
    counts: { ...fiveReceived, created: 1 },
    warning: /its Content-Type is text\/html; charset=UTF-8\. Send application\/json/,
  },
  {
    name: 'an invalid record in the middle',
    responses: [respond.records([first, second, { ...added, data: 7 }, third, fourth])],
    counts: { ...fiveReceived, rejected: 1 },
    warning: /^1 rejected: .*data must be an object/,
  },
  {
    name: 'the same reference twice',
    responses: [respond.records([...PULLED_RECORDS, { ...first, full_name: 'Another' }])],
    counts: { ...fiveReceived, rejected: 1 },
    warning: /^1 rejected: Duplicate reference number/,
  },
  {
    name: 'a different total, and a record that is not listed',
    responses: [respond.records([first, second, third], { total: 7 })],
    counts: { received: 3, unchanged: 3, not_listed: 1 },
    warning: /total of 7, but .* 3/,
  },
  {
    name: 'a missing record',
    responses: [respond.records([first, second, third])],
    counts: { received: 3, unchanged: 3, missing: 1 },
  },
]

const gzipped = { 'Content-Encoding': 'gzip' }

function link(target: string): Record<string, string> {
  return { Link: `<${target}>; rel="next"` }
}

/** The first half of a compressed response, which contains `R-9` completely. */
function compressed(compress: (text: string) => Buffer, encoding: string): Responder {
  const noise = Array.from({ length: 400 }, (_, number) => sha256(String(number))).join('')
  const bytes = compress(`${prefix}${JSON.stringify(noise)}]}`)
  const half = bytes.subarray(0, bytes.length / 2)
  return respond.text(half, json, { 'Content-Encoding': encoding })
}

function latin1(characters: string): Buffer {
  return Buffer.from(characters, 'latin1')
}
