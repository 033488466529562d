/**
 * Attacks by platforms on the hub that sends requests to them. Each row has the response, the expected error and
 * the maximum number of bytes that the hub receives. The key is sent to no other server, and every request ends within
 * its limits.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { LookupFunction } from 'node:net'
import { describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { HubError } from '../../src/errors.ts'
import type { ThroughputLimits } from '../../src/lib/time/throughput-monitor.ts'
import { createPlatformClient } from '../../src/platform-client/platform-client.ts'
import type {
  NetworkSettings,
  PlatformCertificate,
} from '../../src/platform-client/request/dispatcher.ts'
import { DEFAULT_TIMEOUTS } from '../../src/platform-client/request/timeouts.ts'
import { EXPIRED_CERTIFICATE, SELF_SIGNED_CERTIFICATE } from '../helpers/hub/certificate.ts'
import {
  bytes,
  type RawResponder,
  repeatForever,
  startRawServer,
} from '../helpers/platform/raw-server.ts'

const KEY = 'source-key-0123456789abcdef'
const KIB = 1024
const MIB = 1024 * KIB
/** Bytes in the buffers of both sockets count as sent even if the hub has not read them. */
const BUFFERED = 8 * MIB

const PING = JSON.stringify({ success: true, platform_name: 'p', message: 'Online' })
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const chunked = `${OK}Transfer-Encoding: chunked\r\n\r\n`
const httpResponse = (body: string | Buffer, headers = '') =>
  Buffer.concat([
    Buffer.from(`${OK}${headers}Content-Length: ${body.length}\r\n\r\n`),
    Buffer.from(body),
  ])
const encoded = (encoding: string, body: Buffer) =>
  bytes(httpResponse(body, `Content-Encoding: ${encoding}\r\n`))
const zeros = Buffer.alloc(64 * MIB, ' ')
/** The header of a frame that declares a window of 2 GiB; its content is not sent. */
const wideZstd = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00])

type Row = readonly [
  what: string,
  script: RawResponder,
  code: string,
  message: RegExp,
  maxBytes?: number,
]

/** The limits of one request. */
type Limits = ThroughputLimits & { callMs: number }
/** Limits that only rows that are expected to time out reach. */
const GENEROUS: Limits = { ...DEFAULT_TIMEOUTS, callMs: 60_000 }

const SILENCE = /sent nothing for/
const TOO_SLOW = /fewer than/
const NO_HTTP = /response is not valid HTTP/
const HEADERS = /its headers are too large/
const ROWS: readonly Row[] = [
  ['an HTTP/0.9 body without a head', bytes(PING), 'platform_unreachable', NO_HTTP],
  ['HTTP/2.0 followed by silence', bytes('HTTP/2.0 200 OK\r\n\r\n'), 'platform_timed_out', SILENCE],
  ['a missing status', bytes('HTTP/1.1 OK\r\n\r\n'), 'platform_unreachable', NO_HTTP],
  ['an unknown status', bytes('HTTP/1.1 999 X\r\n\r\n'), 'platform_failed', /999/],
  ['a header of 64 KiB', bytes(`${OK}a: ${'x'.repeat(64 * KIB)}`), 'platform_unreachable', HEADERS],
  [
    '10,000 headers',
    bytes(`${OK}${'a: b\r\n'.repeat(10_000)}\r\n`),
    'platform_unreachable',
    HEADERS,
  ],
  [
    'endless headers',
    repeatForever(OK, `a: ${'x'.repeat(1000)}\r\n`),
    'platform_unreachable',
    HEADERS,
    BUFFERED,
  ],
  [
    'an endless folded header',
    repeatForever(`${OK}a: b`, '\r\n b'),
    'platform_unreachable',
    /./,
    BUFFERED,
  ],
  [
    'an endless status line',
    repeatForever('HTTP/1.1 200 ', 'O'),
    'platform_timed_out',
    /./,
    BUFFERED,
  ],
  ['a header sent byte by byte', repeatForever(OK, 'a', 10), 'platform_timed_out', /./],
  [
    'endless 103 responses',
    repeatForever('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 1),
    'platform_timed_out',
    /./,
  ],
  ['an unexpected 100', bytes('HTTP/1.1 100 Continue\r\n\r\n'), 'platform_unreachable', /./],
  [
    'a switch of protocols',
    bytes('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    'platform_unreachable',
    /./,
  ],
  [
    'a length that overflows',
    bytes(`${OK}Content-Length: 99999999999999999999\r\n\r\n`),
    'platform_unreachable',
    /cut off/,
  ],
  [
    'a length of 8 EiB followed by silence',
    bytes(`${OK}Content-Length: 9223372036854775807\r\n\r\n{`),
    'platform_timed_out',
    SILENCE,
  ],
  ['a negative length', bytes(`${OK}Content-Length: -1\r\n\r\n`), 'platform_unreachable', NO_HTTP],
  [
    'two lengths',
    bytes(`${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`),
    'platform_unreachable',
    /cut off/,
  ],
  [
    'both a length and chunks',
    bytes(`${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
    'platform_unreachable',
    /cut off/,
  ],
  [
    'chunked before another encoding',
    bytes(`${OK}Transfer-Encoding: chunked, gzip\r\n\r\n2\r\n{}`),
    'platform_timed_out',
    /./,
  ],
  [
    'a chunk size that overflows',
    bytes(`${chunked}FFFFFFFFFFFFFFFFF\r\n`),
    'platform_broke_off',
    NO_HTTP,
  ],
  ['a negative chunk size', bytes(`${chunked}-1\r\n`), 'platform_broke_off', NO_HTTP],
  [
    'an endless chunk extension',
    repeatForever(`${chunked}1;`, 'x'.repeat(KIB)),
    'platform_timed_out',
    SILENCE,
  ],
  [
    'chunks of one byte each',
    repeatForever(chunked, '1\r\n \r\n', 5),
    'platform_timed_out',
    TOO_SLOW,
  ],
  [
    'endless trailers',
    repeatForever(`${chunked}0\r\n`, `a: ${'x'.repeat(1000)}\r\n`),
    'platform_broke_off',
    HEADERS,
    BUFFERED,
  ],
  [
    'an endless chunked body',
    repeatForever(chunked, `${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`),
    'platform_response_too_large',
    /8388608/,
    2 * BUFFERED,
  ],
  [
    'an endless body without a length',
    repeatForever(`${OK}\r\n`, ' '.repeat(MIB)),
    'platform_response_too_large',
    /./,
    2 * BUFFERED,
  ],
  [
    '64 MiB compressed with gzip',
    encoded('gzip', gzipSync(zeros)),
    'platform_response_too_large',
    /./,
  ],
  [
    '64 MiB compressed with deflate',
    encoded('deflate', deflateSync(zeros)),
    'platform_response_too_large',
    /./,
  ],
  [
    '64 MiB compressed with Brotli',
    encoded('br', brotliCompressSync(zeros)),
    'platform_response_too_large',
    /./,
  ],
  [
    '64 MiB compressed with Zstandard',
    encoded('zstd', zstdCompressSync(zeros)),
    'platform_response_too_large',
    /./,
  ],
  [
    'a Zstandard window of 2 GiB',
    encoded('zstd', wideZstd),
    'platform_response_invalid',
    /compressed data/,
  ],
  [
    '64 gzip members of 1 MiB',
    encoded('gzip', Buffer.concat(Array(64).fill(gzipSync(zeros.subarray(0, MIB))))),
    'platform_response_too_large',
    /./,
  ],
  [
    'endless empty gzip members',
    repeatForever(`${OK}Content-Encoding: gzip\r\n\r\n`, gzipSync('')),
    'platform_timed_out',
    /./,
  ],
  [
    'gzip within gzip',
    encoded('gzip, gzip', gzipSync(gzipSync(PING))),
    'platform_response_invalid',
    /"gzip, gzip"/,
  ],
  [
    'a million nested arrays',
    bytes(httpResponse('['.repeat(MIB))),
    'platform_response_invalid',
    /nested too deeply/,
  ],
  [
    'a million nested objects',
    bytes(httpResponse('{"a":'.repeat(MIB))),
    'platform_response_invalid',
    /nested too deeply/,
  ],
  [
    'a number with a million digits',
    bytes(httpResponse(`{"success":${'9'.repeat(MIB)}}`)),
    'platform_reports_failure',
    /"success": 9{100}\)/,
  ],
  [
    'a response inside __proto__',
    bytes(httpResponse('{"__proto__":{"success":true,"platform_name":"p","message":"m"}}')),
    'platform_response_invalid',
    /./,
  ],
]

/** Short limits for a row that is expected to time out; `message` selects the limit that expires first. */
function limitsFor(code: string, message: RegExp): Limits {
  if (code !== 'platform_timed_out') return GENEROUS
  if (message === SILENCE) return { ...GENEROUS, silenceMs: 500 }
  if (message === TOO_SLOW) return { ...GENEROUS, windowMs: 1000 }
  return { ...GENEROUS, silenceMs: 500, windowMs: 1000, callMs: 1500 }
}

function createClient(settings: Partial<NetworkSettings> = {}, limits = GENEROUS) {
  return createPlatformClient({
    ...{ platformPath: 'hub', tunnelHeader: 'x-tunnel', networks: 'any', schemes: 'any' },
    proxy: { http: '', https: '', none: '' },
    timeouts: { ...DEFAULT_TIMEOUTS, ...limits, firstByteSeconds: 60 },
    ...settings,
  })
}

/** Sends one ping and returns the error. */
async function failure(
  source_base_url: string,
  settings: Partial<NetworkSettings> = {},
  limits = GENEROUS,
) {
  const client = createClient(settings, limits)
  const target = { source_base_url, source_api_key: KEY }
  try {
    const ping = await client.ping(target, AbortSignal.timeout(limits.callMs))
    return { code: `online as ${ping.platform_name}`, message: '' }
  } catch (error) {
    assert.ok(error instanceof HubError, String(error))
    return { code: error.code, message: error.message }
  } finally {
    await client.close()
  }
}

describe('a hostile response', () => {
  for (const [what, script, code, message, maxBytes = Number.POSITIVE_INFINITY] of ROWS) {
    test(`the request fails with ${code} on ${what}`, async () => {
      await using server = await startRawServer(script)
      const before = process.memoryUsage.rss()
      const failed = await failure(server.address, {}, limitsFor(code, message))
      assert.equal(failed.code, code, failed.message)
      assert.match(failed.message, message)
      assert.ok(!failed.message.includes(KEY))
      assert.ok(server.sentBytes() < maxBytes, `${server.sentBytes()} bytes were sent`)
      const grown = (process.memoryUsage.rss() - before) / MIB
      assert.ok(grown < 300, `${grown} MiB more memory`)
    })
  }

  test('a second response on the connection is not used for the next request', async () => {
    const evil = PING.replace('"p"', '"evil"')
    await using server = await startRawServer(
      bytes(Buffer.concat([httpResponse(PING), httpResponse(evil)])),
    )
    const client = createClient()
    const target = { source_base_url: server.address, source_api_key: KEY }
    for (let count = 0; count < 3; count += 1) {
      const ping = await client.ping(target).catch((error: unknown) => {
        assert.ok(error instanceof HubError)
        return null
      })
      if (ping) assert.equal(ping.platform_name, 'p')
    }
    await client.close()
  })

  for (const status of [301, 302, 303, 307, 308]) {
    test(`a ${status} redirect is not followed, regardless of its port, host, scheme or path`, async () => {
      await using elsewhere = await startRawServer(bytes(httpResponse(PING)))
      const { port } = elsewhere
      for (const location of [
        elsewhere.address,
        `//localhost:${port}/api/hub/ping`,
        `https://127.0.0.1:${port}/`,
        `http://user:${KEY}@127.0.0.1:${port}/`,
        'file:///etc/passwd',
        '/api/hub/ping',
        '',
      ]) {
        const head = `HTTP/1.1 ${status} X\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
        await using server = await startRawServer(bytes(head))
        const failed = await failure(server.address)
        assert.equal(failed.code, 'platform_redirected')
        assert.ok(!failed.message.includes(KEY))
        assert.equal(server.connections(), 1)
      }
      assert.equal(elsewhere.connections(), 0)
    })
  }
})

/** A DNS resolver that returns these addresses one after the other, and then always the last one. */
function resolver(...addresses: string[]) {
  const lookups: string[] = []
  const lookup: LookupFunction = (hostname, options, callback) => {
    lookups.push(hostname)
    const address = addresses[Math.min(lookups.length, addresses.length) - 1] ?? ''
    const family = address.includes(':') ? 6 : 4
    if (options.all) callback(null, [{ address, family }])
    else callback(null, address, family)
  }
  return { lookup, lookups }
}

describe('the addresses that the hub connects to', () => {
  test('the address of a host name is checked again at each connection', async () => {
    await using server = await startRawServer(async (socket) => {
      await bytes(httpResponse(PING, 'Connection: close\r\n'))(socket)
    })
    const { lookup, lookups } = resolver(
      '127.0.0.1',
      '169.254.169.254',
      'fe80::1',
      '::ffff:a9fe:a9fe',
    )
    const client = createClient({ lookup })
    const url = `http://platform.example:${server.port}`
    const target = { source_base_url: url, source_api_key: KEY }
    assert.equal((await client.ping(target)).platform_name, 'p')
    for (let count = 0; count < 3; count += 1) {
      await assert.rejects(client.ping(target), { code: 'platform_address_rejected' })
    }
    await client.close()
    assert.equal(lookups.length, 4)
    assert.equal(server.connections(), 1)
  })

  for (const address of ['127.0.0.1', '10.0.0.1', '::1', '64:ff9b::7f00:1', '2002:7f00:1::']) {
    test(`with networks set to public, the hub does not connect to ${address}`, async () => {
      await using server = await startRawServer(bytes(httpResponse(PING)))
      const { lookup } = resolver(address)
      for (const host of ['platform.example', 'localhost', 'localhost.', 'a.localhost']) {
        for (const scheme of ['http', 'https']) {
          const failed = await failure(`${scheme}://${host}:${server.port}`, {
            lookup,
            networks: 'public',
          })
          assert.equal(failed.code, 'platform_address_rejected')
        }
      }
      assert.equal(server.connections(), 0)
    })
  }

  test('only the allowed addresses of a host name are used', async () => {
    await using server = await startRawServer(bytes(httpResponse(PING)))
    const lookup: LookupFunction = (_hostname, _options, callback) =>
      callback(null, [
        { address: '169.254.169.254', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ])
    const { code } = await failure(`http://platform.example:${server.port}`, { lookup })
    assert.equal(code, 'online as p')
  })

  test('other spellings of a forbidden address are also rejected', async () => {
    for (const host of [
      '2852039166',
      '0xA9FEA9FE',
      '0251.0376.0251.0376',
      '169.254.43518',
      '169.16689662',
      '169.254.169.254.',
      '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
      '１６９。２５４。１６９。２５４',
      '%31%36%39.254.169.254',
      '[::FFFF:169.254.169.254]',
      '[0:0:0:0:0:ffff:a9fe:a9fe]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:a9fe:a9fe::]',
    ]) {
      const { code } = await failure(`http://${host}`)
      assert.equal(code, 'platform_address_rejected', host)
    }
  })

  test('a forbidden address is also rejected if a proxy is configured', async () => {
    await using proxy = await startRawServer(bytes(httpResponse(PING)))
    const settings = { proxy: { http: proxy.address, https: proxy.address, none: '' } }
    for (const url of [
      'http://169.254.169.254',
      'https://[::ffff:a9fe:a9fe]',
      'http://2852039166',
    ]) {
      assert.equal((await failure(url, settings)).code, 'platform_address_rejected')
    }
    assert.equal(proxy.connections(), 0)
  })
})

describe('a certificate', () => {
  const trusted = getCACertificates()
  const listen = async (certificate: { key: string; cert: string }) => {
    const server = createServer(certificate, (_request, response) => {
      response.setHeader('Content-Type', 'application/json').end(PING)
    })
    server.on('tlsClientError', () => undefined)
    server.listen(0)
    await once(server, 'listening')
    const address = server.address()
    const port = address && typeof address === 'object' ? address.port : 0
    return { port, server }
  }
  const cases = [
    ['that is not trusted', SELF_SIGNED_CERTIFICATE, 'localhost', false],
    ['for another host', SELF_SIGNED_CERTIFICATE, '127.0.0.1', true],
    ['that has expired', EXPIRED_CERTIFICATE, 'localhost', true],
  ] as const
  for (const [what, certificate, host, isTrusted] of cases) {
    test(`${what} is rejected before the key is sent`, async () => {
      setDefaultCACertificates(isTrusted ? [...trusted, certificate.cert] : trusted)
      const { server, port } = await listen(certificate)
      let requests = 0
      server.on('request', () => {
        requests += 1
      })
      const { code } = await failure(`https://${host}:${port}`)
      assert.equal(code, 'platform_certificate_invalid')
      assert.equal(requests, 0)
      server.close()
      setDefaultCACertificates(trusted)
    })
  }

  test('that is valid is accepted, and its end is read', async () => {
    setDefaultCACertificates([...trusted, SELF_SIGNED_CERTIFICATE.cert])
    const { server, port } = await listen(SELF_SIGNED_CERTIFICATE)
    const address = `https://localhost:${port}`
    const read: PlatformCertificate[] = []
    const onCertificate = (one: PlatformCertificate) => void read.push(one)
    assert.equal((await failure(address, { onCertificate })).code, 'online as p')
    assert.deepEqual(read, [{ origin: address, expires_at: '2126-10-28T13:02:56.000Z' }])
    server.close()
    setDefaultCACertificates(trusted)
  })
})
