/** Malformed and hostile requests. Each row has its defect and the statuses that the hub may return. */

/** The body of a push that must never be stored. */
const SMUGGLED = JSON.stringify({
  module_name: 'Module cases',
  record_type: 'cases',
  reference_number: 'SMUGGLED',
  full_name: 'Smuggled',
  data: {},
})

/** `statuses` lists the statuses of all responses on the connection; it is empty if the hub closes it without one. */
export type RawRow = {
  what: string
  bytes: (key: string) => string | Buffer
  statuses: readonly (readonly number[])[]
}

const BAD_REQUEST = [[400]] as const
const length = Buffer.byteLength(SMUGGLED)
const chunks = `${length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`

/** A push with a valid key, which is stored if the hub misinterprets its framing. */
const push =
  (framing: string, body: string, host = 'Host: hub\r\n') =>
  (key: string) =>
    `POST /api/webhook/receive HTTP/1.1\r\n${host}X-API-KEY: ${key}\r\nContent-Type: application/json\r\n${framing}\r\n${body}`

/** The same push as a second request within the body of the first one. */
const hidden = (key: string) =>
  `POST /api/webhook/receive HTTP/1.1\r\nHost: hub\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${SMUGGLED}`
const smuggling =
  (framing: string, before = '') =>
  (key: string) => {
    const inner = before + hidden(key)
    return `POST /api/webhook/receive HTTP/1.1\r\nHost: hub\r\n${framing.replace('LENGTH', String(Buffer.byteLength(inner)))}\r\n${inner}`
  }
const get =
  (line: string, headers = 'Host: hub\r\n') =>
  () =>
    `${line}\r\n${headers}\r\n`

const row = (what: string, bytes: RawRow['bytes'], statuses: RawRow['statuses'] = BAD_REQUEST) => ({
  ...{ what, bytes, statuses },
})

/** Framing that two parsers could interpret differently. */
const FRAMING: readonly RawRow[] = [
  ['a length and chunks', `Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n`, chunks],
  ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: ${length}\r\n`, chunks],
  ['two lengths', `Content-Length: ${length}\r\nContent-Length: 1\r\n`, SMUGGLED],
  ['the same length twice', `Content-Length: ${length}\r\nContent-Length: ${length}\r\n`, SMUGGLED],
  ['a list of lengths', `Content-Length: ${length}, ${length}\r\n`, SMUGGLED],
  ['a length with a sign', `Content-Length: +${length}\r\n`, SMUGGLED],
  ['a negative length', 'Content-Length: -1\r\n', SMUGGLED],
  ['a length in hex', `Content-Length: 0x${length.toString(16)}\r\n`, SMUGGLED],
  ['a length that overflows', 'Content-Length: 99999999999999999999\r\n', SMUGGLED],
  ['a space before the colon of Content-Length', `Content-Length : ${length}\r\n`, SMUGGLED],
  ['a space before the colon of Transfer-Encoding', 'Transfer-Encoding : chunked\r\n', chunks],
  ['a tab before the colon of Transfer-Encoding', 'Transfer-Encoding\t: chunked\r\n', chunks],
  [
    'two transfer encodings',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
    chunks,
  ],
  ['chunked before another encoding', 'Transfer-Encoding: chunked, identity\r\n', chunks],
  ['an encoding called xchunked', 'Transfer-Encoding: xchunked\r\n', chunks],
  ['an encoding with a vertical tab', 'Transfer-Encoding: \u000bchunked\r\n', chunks],
  ['a folded encoding', 'Transfer-Encoding:\r\n chunked\r\n', chunks],
  ['a folded length', `Content-Length:\r\n ${length}\r\n`, SMUGGLED],
  ['a bare line feed after a header', `A: b\nContent-Length: ${length}\r\n`, SMUGGLED],
  ['a bare carriage return', `A: b\rContent-Length: ${length}\r\n`, SMUGGLED],
  ['U+0000 in a header', `A: b\0c\r\nContent-Length: ${length}\r\n`, SMUGGLED],
  ['a space in the name of a header', `A b: c\r\nContent-Length: ${length}\r\n`, SMUGGLED],
  ['a header without a colon', `nonsense\r\nContent-Length: ${length}\r\n`, SMUGGLED],
  ['a header without a name', `: x\r\nContent-Length: ${length}\r\n`, SMUGGLED],
  ['a chunk size with 0x', 'Transfer-Encoding: chunked\r\n', `0x${chunks}`],
  ['a chunk size with a sign', 'Transfer-Encoding: chunked\r\n', `+${chunks}`],
  [
    'chunks that end in a bare line feed',
    'Transfer-Encoding: chunked\r\n',
    chunks.replaceAll('\r\n', '\n'),
  ],
  [
    'a chunk longer than its size',
    'Transfer-Encoding: chunked\r\n',
    `1\r\n${SMUGGLED}\r\n0\r\n\r\n`,
  ],
].map(([what = '', framing = '', body = '']) => row(what, push(framing, body)))

export const RAW_ROWS: readonly RawRow[] = [
  ...FRAMING,
  row('a push without a Host', push(`Content-Length: ${length}\r\n`, SMUGGLED, '')),
  row(
    'a push with two Hosts',
    push(`Content-Length: ${length}\r\n`, SMUGGLED, 'Host: hub\r\nHost: evil\r\n'),
  ),
  row(
    'a second push after a length and chunks',
    smuggling('Content-Length: LENGTH\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
  ),
  row(
    'a second push after two lengths',
    smuggling('Content-Length: LENGTH\r\nContent-Length: 0\r\n'),
  ),
  row(
    'a second push in the body of a push without a key',
    smuggling('Content-Length: LENGTH\r\n'),
    [[401]],
  ),
  row(
    'a second push in the body of a GET',
    (key) =>
      `GET /healthz HTTP/1.1\r\nHost: hub\r\nContent-Length: ${Buffer.byteLength(hidden(key))}\r\n\r\n${hidden(key)}`,
    [[200]],
  ),
  row(
    'a second push after an upgrade',
    (key) =>
      `GET /healthz HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: ${Buffer.byteLength(hidden(key))}\r\n\r\n${hidden(key)}`,
    [[200]],
  ),
  row(
    'a compressed body',
    push(`Content-Encoding: gzip\r\nContent-Length: ${length}\r\n`, SMUGGLED),
    [[415]],
  ),
  row('HTTP/0.9', () => 'GET /api/v1/platforms\r\n\r\n', [[400], [401]]),
  row('HTTP/2 from the start', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  row('HTTP/9.9', get('GET /healthz HTTP/9.9')),
  row('a TLS handshake', () => Buffer.from('16030100c8010000c40303', 'hex')),
  row('line feeds and binary noise', () => `${'\r\n'.repeat(100)}\x01\x02\x03`),
  row(
    'an unknown Expect header',
    get('GET /healthz HTTP/1.1', 'Host: hub\r\nExpect: unknown\r\n'),
    [[200]],
  ),
  row('a GET without a Host', get('GET /healthz HTTP/1.1', '')),
  row('a health check in HTTP/1.0 without a Host', get('GET /healthz HTTP/1.0', ''), [[200]]),
  row('a health check with an empty Host', get('GET /healthz HTTP/1.1', 'Host:\r\n'), [[200]]),
  row(
    'an HTTP/1.0 push without a Host and with a wrong key',
    (key) => push('Content-Length: 2\r\n', '{}', '')(`${key}x`).replace('HTTP/1.1', 'HTTP/1.0'),
    [[401]],
  ),
  row(
    'an HTTP/1.0 check of a key without a Host',
    (key) => `GET /api/webhook/check HTTP/1.0\r\nX-API-KEY: ${key}\r\n\r\n`,
    [[200]],
  ),
  row('an HTTP/1.0 GET without a Host', get('GET /sign-in HTTP/1.0', '')),
  row(
    'headers of 64 KiB',
    get('GET /healthz HTTP/1.1', `Host: hub\r\nA: ${'x'.repeat(65_536)}\r\n`),
    [[431]],
  ),
  row('10,000 headers', get('GET /healthz HTTP/1.1', `Host: hub\r\n${'a: b\r\n'.repeat(10_000)}`), [
    [431],
  ]),
  row('a path of 64 KiB', get(`GET /${'x'.repeat(65_536)} HTTP/1.1`), [[431]]),
  ...['TRACE', 'PROPFIND', 'OPTIONS', 'PUT', 'DELETE', 'LOCK', 'SEARCH', 'QUERY'].map((method) => {
    const post = push(`Content-Length: ${length}\r\n`, SMUGGLED)
    const bytes = (key: string) => post(key).replace('POST', method)
    return row(`${method} on the receiver`, bytes, [[405], [404]])
  }),
  row('CONNECT', get('CONNECT evil.example:443 HTTP/1.1'), [[], [400], [404]]),
  row('an unknown method', get('BREW /api/v1/platforms HTTP/1.1')),
  row('a lower-case method', get('get /api/v1/platforms HTTP/1.1')),
]

/** Paths that could be mistaken for those of other routes, requested without valid credentials. */
export const PATHS: readonly string[] = [
  '/api/v1/%70latforms',
  '/%61pi/v1/platforms',
  '//api/v1/platforms',
  '/api//v1/platforms',
  '/api/v1/platforms/',
  '/API/V1/PLATFORMS',
  '/api/v1/platforms%2f',
  '/api/v1/platforms%00',
  '/api/v1/platforms%0d%0aX-Evil:%20y',
  '/api/v1/platforms;a=b',
  '/api/v1/./platforms',
  '/api/v1/x/../platforms',
  '/api/v1/%2e%2e/v1/platforms',
  '/assets/../api/v1/platforms',
  '/assets/%2e%2e/api/v1/platforms',
  '/assets/%2e%2e/%2e%2e/package.json',
  '/assets/..%2f..%2fpackage.json',
  '/assets/..%5c..%5cpackage.json',
  '/assets/%252e%252e/package.json',
  '/assets/%c0%ae%c0%ae/package.json',
  '/assets/%00',
  '/assets/',
  '/assets',
  '/assets//etc/passwd',
  '/dashboard/%2e%2e/api/v1/platforms',
  '/dashboard/%72ealtime',
  '/dashboard/realtime%20',
  '/dashboard/realtime/',
  'http://evil.example/api/v1/platforms',
  'https://hub/api/v1/platforms',
  '*',
  '/.env',
  '/data/recordhub.sqlite',
  '/api/auth/list-sessions',
  '/api/auth/get-session',
  '/api/auth/admin/list-users',
  '/api/auth/sign-up/email',
  '/api/auth/../v1/platforms',
  '/%',
  '/%zz',
  '/%ff',
]
