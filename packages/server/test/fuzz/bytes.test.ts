/** Bytes that are no valid HTTP request: the hub responds with an error or closes the connection, and keeps serving. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { shareHub } from '../helpers/hub/describe-hub.ts'
import { newRecord, type TestPlatform } from '../helpers/hub/platform-requests.ts'
import { parseStatuses, sendRaw } from '../helpers/hub/raw-requests.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { anyText, bytesOf } from './arbitraries.ts'
import { expectUnharmed, fuzz } from './checks.ts'

describe('fuzzed bytes', () => {
  const hub = shareHub(sqliteEngine)
  let platform: TestPlatform
  before(async () => {
    platform = await hub.registerPushing()
  })

  test('damaged requests cause no 5xx, and the hub continues to accept pushes', async () => {
    const body = JSON.stringify(newRecord('RAW'))
    const line = fc.constantFrom(
      'POST /api/webhook/receive HTTP/1.1',
      'PATCH /api/webhook/receive HTTP/1.1',
      'GET /api/v1/records HTTP/1.1',
      'POST /api/webhook/receive HTTP/1.0',
      'POST /api/webhook/receive HTTP/2.0',
      'PRI * HTTP/2.0',
      'CONNECT hub:80 HTTP/1.1',
      'GET http://hub/healthz HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'TRACE / HTTP/1.1',
    )
    const size = fc.constantFrom(
      String(body.length),
      '0',
      '1',
      '-1',
      '1e2',
      '99999999999999999999',
      '0x10',
      `+${body.length}`,
      ` ${body.length} `,
      `${body.length}, ${body.length}`,
      String(body.length + 1),
      '٣',
    )
    const framing = fc.oneof(
      { weight: 3, arbitrary: fc.constant(`Content-Length: ${body.length}\r\n`) },
      { weight: 2, arbitrary: size.map((text) => `Content-Length: ${text}\r\n`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            size,
            fc.constantFrom(
              'chunked',
              'gzip, chunked',
              'identity',
              'chunked, identity',
              'CHUNKED',
              'xchunked',
              'chunked;a=b',
            ),
          )
          .map(([text, coding]) => `Content-Length: ${text}\r\nTransfer-Encoding: ${coding}\r\n`),
      },
      { weight: 2, arbitrary: fc.constant('Transfer-Encoding: chunked\r\n') },
    )
    const chunked = fc
      .tuple(
        fc.constantFrom(
          body.length.toString(16),
          '0',
          'ffffffffffffffff',
          '-1',
          '1g',
          '',
          `${body.length.toString(16)};a=b`,
        ),
        fc.constantFrom('\r\n', '\n', ''),
      )
      .map(([length, end]) => `${length}${end}${body}${end}0\r\n\r\n`)
    const header = fc.oneof(
      fc.constant(''),
      anyText.map((text) => `X: ${text}\r\n`),
      anyText.map((text) => `${text}: x\r\n`),
      fc.constantFrom(
        'Expect: 100-continue\r\n',
        'Upgrade: websocket\r\nConnection: Upgrade\r\n',
        'Connection: keep-alive\r\n',
        ' folded\r\n',
        'Host: b\r\n',
        'Host : x\r\n',
      ),
    )
    const request = fc
      .tuple(line, framing, header, fc.oneof(fc.constant(body), chunked))
      .map(
        ([first, length, extra, content]) =>
          `${first}\r\nHost: hub\r\nX-API-KEY: KEY\r\nContent-Type: application/json\r\n${extra}${length}\r\n${content}`,
      )
    const cases = fc.oneof(
      { weight: 6, arbitrary: bytesOf(request) },
      {
        weight: 1,
        arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      },
    )
    await fuzz(cases, {
      quick: 10,
      deep: 2000,
      async check(bytes) {
        const sent = Buffer.from(
          bytes.toString('latin1').replace('KEY', platform.hub_api_key),
          'latin1',
        )
        // The end of the stream ends a request whose body is incomplete.
        const response = await sendRaw(hub.address, sent, 1, { end: true })
        for (const status of parseStatuses(response))
          assert.ok(status < 500, response.slice(0, 1000))
        assert.ok(!response.includes(platform.hub_api_key))
      },
    })
    assert.equal((await hub.push(platform.hub_api_key, newRecord('AFTER'))).status, 201)
    expectUnharmed(hub)
  })
})
