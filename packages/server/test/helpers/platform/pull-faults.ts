/**
 * Faulty platforms in a pull, one per row. Each of them has returned `R-1` to `R-4` correctly before;
 * `R-9` is new.
 */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { PullCounts } from '@recordhub/protocol'
import { sha256 } from '../../../src/lib/crypto/hash.ts'
import { type Behaviour, respond, simulatedRecord } from './platform.ts'

export const KNOWN = [1, 2, 3, 4].map((number) => simulatedRecord(number))
const [first, second, third, fourth] = KNOWN
const added = simulatedRecord(9)
const json = 'application/json'
const text = JSON.stringify(added)
const begun = `{"success":true,"records":[${text},`
const whole = JSON.stringify({ success: true, records: [...KNOWN, added] })
const swollen = `{"records":[${text}],"x":"${'x'.repeat(8 * 1024 * 1024)}"}`

export type Failure = {
  what: string
  /** Null for a platform that refuses connections. */
  behaviour: Behaviour | null
  /** The expected error; rows with the same cause share it. */
  error: RegExp
  /** The number of records requests. */
  asked: number
  /** Whether `R-9` arrived completely before the failure, and so is stored. */
  stores: boolean
}

const TORN = /the compressed response was cut off/
const SILENT = /it sent nothing for 0\.5 s/

/** `elsewhere` is the address of another server. */
export function createPullFaults(elsewhere: string): Failure[] {
  const nothing: readonly (readonly [string, Behaviour | null, RegExp, number?])[] = [
    ['500', respond.status(500), /responded with HTTP 500/],
    ['503 for ever', respond.status(503), /responded with HTTP 503/, 4],
    ['a long Retry-After', respond.status(429, { 'Retry-After': '3600' }), /wait 3600 s/],
    ['401', respond.status(401), /rejected the source API key/],
    ['404', respond.status(404), /no endpoint at \/api\/hub\/records\/cases/],
    ['refuses connections', null, /the connection was refused/, 0],
    ['hangs up', respond.nothing(), /cannot be reached \(the connection was cut off/],
    ['speaks no HTTP', (response) => response.socket?.end('SSH-2.0\r\n\r\n'), /not valid HTTP/],
    ['hangs', () => undefined, /it sent nothing/],
    ['hangs before the body', (response) => response.writeHead(200).flushHeaders(), SILENT],
    ['an HTML page', respond.html(), /an HTML page instead of JSON/],
    ['HTML called JSON', respond.text('<html>', json), /not valid JSON \(Unexpected token '<'/],
    ['nothing', respond.text('', json), /it is empty/],
    ['a list', respond.json([added]), /it is not an object/],
    ['no records', respond.json({ success: true, total: 0 }), /it has no list "records"/],
    [
      'redirects elsewhere',
      respond.redirect(`${elsewhere}/api/hub/`),
      /redirect to http.*does not follow/,
    ],
    [
      'says that it failed',
      respond.json({ success: false, message: 'Closed' }),
      /reported a failure .*: Closed/,
    ],
    [
      'another platform_name',
      respond.json({ platform_name: 'other', records: [added] }),
      /"other"/,
    ],
    ['other records', respond.json({ record_type: 'people', records: [added] }), /"people"/],
    [
      'no gzip',
      respond.text(whole, json, { 'Content-Encoding': 'gzip' }),
      /compressed data are damaged/,
    ],
    ['compress', respond.text(whole, json, { 'Content-Encoding': 'compress' }), /"compress"/],
  ]
  const broken: readonly (readonly [string, Behaviour, RegExp])[] = [
    ['hangs within the body', respond.stall(begun), SILENT],
    ['drips', respond.drip(begun, 20), /fewer than 1024 bytes per second for 1 s/],
    ['cuts off', respond.cutOff(begun), /connection closed .*the response was cut off/],
    ['ends too early', respond.text(begun, json), /ends too early, at byte \d+/],
    ['cuts gzip off', compressed(gzipSync, 'gzip'), TORN],
    ['cuts Brotli off', compressed(brotliCompressSync, 'br'), TORN],
    ['swells', respond.text(gzipSync(swollen), json, gzipped), /too large outside of "records"/],
    [
      'a record that is no JSON',
      respond.text(`${begun}nope]}`, json),
      /record 2 is not valid JSON/,
    ],
    [
      'bad UTF-8',
      respond.text(latin1(`${begun}{"a":"\xe4"}]}`), json),
      /record 2 is not valid UTF-8/,
    ],
    [
      'rubbish at the end',
      respond.text(`{"records":[${text}]}}`, json),
      /unmatched closing bracket/,
    ],
    ['records twice', respond.text(`{"records":[${text}],"records":[]}`, json), /"records" twice/],
    ['pages in a circle', respond.text(`{"records":[${text}]}`, json, link('?')), /already read/],
    [
      'pages elsewhere',
      respond.text(`{"records":[${text}]}`, json, link(elsewhere)),
      /is sent only to/,
    ],
  ]
  return [
    ...nothing.map(([what, behaviour, error, asked = 1]) => ({
      ...{ what, behaviour, error, asked },
      stores: false,
    })),
    ...broken.map(([what, behaviour, error]) => ({
      ...{ what, behaviour, error },
      asked: 1,
      stores: true,
    })),
  ]
}

export type Success = {
  what: string
  /** The responses to the next requests, one each; later ones are correct. */
  inTurn: Behaviour[]
  counts: Partial<PullCounts>
  /** The warnings of the task. */
  warning?: RegExp
}

/** The number of records with which the missing threshold applies if all but one are missing. */
export const MANY = Array.from({ length: 11 }, (_, number) => simulatedRecord(number + 1))

const same = { received: 4, unchanged: 4 }
const five = { received: 5, unchanged: 4 }

export const SUCCESSES: readonly Success[] = [
  { what: 'as agreed', inTurn: [], counts: same },
  { what: '503, then well', inTurn: [respond.status(503)], counts: same },
  {
    what: '429 with Retry-After, then well',
    inTurn: [respond.status(429, { 'Retry-After': '7' })],
    counts: same,
  },
  {
    what: 'a late first byte',
    inTurn: [respond.late(100, respond.records([...KNOWN, added]))],
    counts: { ...five, created: 1 },
  },
  {
    what: 'JSON called text',
    inTurn: [respond.records([...KNOWN, added], { type: 'text/plain' })],
    counts: { ...five, created: 1 },
    warning: /its Content-Type is text\/plain/,
  },
  {
    what: 'a bad record in the middle',
    inTurn: [respond.records([first, second, { ...added, data: 7 }, third, fourth])],
    counts: { ...five, rejected: 1 },
    warning: /^1 rejected: .*data must be an object/,
  },
  {
    what: 'the same reference twice',
    inTurn: [respond.records([...KNOWN, { ...first, full_name: 'Another' }])],
    counts: { ...five, rejected: 1 },
    warning: /^1 rejected: Duplicate reference number/,
  },
  {
    what: 'a total that differs, and a record that did not come',
    inTurn: [respond.records([first, second, third], { total: 7 })],
    counts: { received: 3, unchanged: 3 },
    warning: /total of 7, but .* 3/,
  },
  {
    what: 'a record that has vanished',
    inTurn: [respond.records([first, second, third])],
    counts: { received: 3, unchanged: 3, missing: 1 },
  },
]

const gzipped = { 'Content-Encoding': 'gzip' }

function link(target: string): Record<string, string> {
  return { Link: `<${target}>; rel="next"` }
}

/** Half of a compressed response, which contains `R-9` completely, and then the end. */
function compressed(compress: (text: string) => Buffer, encoding: string): Behaviour {
  const noise = Array.from({ length: 400 }, (_, number) => sha256(String(number))).join('')
  const bytes = compress(`${begun}${JSON.stringify(noise)}]}`)
  const half = bytes.subarray(0, bytes.length / 2)
  return respond.text(half, json, { 'Content-Encoding': encoding })
}

function latin1(characters: string): Buffer {
  return Buffer.from(characters, 'latin1')
}
