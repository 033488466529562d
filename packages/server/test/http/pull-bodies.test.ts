/** Response bodies in every supported encoding and layout, with records of any size. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { addPulledPlatform } from '../helpers/hub/pulled-hub.ts'
import { respond, simulatedRecord } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { rounds } from '../helpers/time/tier.ts'

const json = 'application/json'
const records = [simulatedRecord(1), simulatedRecord(2)]
const BODY = JSON.stringify({ success: true, total: 2, records })
const MIB = 1024 * 1024

const FORMATS: readonly (readonly [string, string | Buffer, Record<string, string>])[] = [
  ['Content-Encoding gzip', gzipSync(BODY), { 'Content-Encoding': 'gzip' }],
  ['a byte order mark', `\uFEFF${BODY}`, {}],
  ['Content-Encoding x-gzip', gzipSync(BODY), { 'Content-Encoding': 'X-GZIP' }],
  ['Content-Encoding deflate', deflateSync(BODY), { 'Content-Encoding': 'deflate' }],
  ['Content-Encoding br', brotliCompressSync(BODY), { 'Content-Encoding': 'br' }],
  ['Content-Encoding zstd', zstdCompressSync(BODY), { 'Content-Encoding': 'zstd' }],
  ['Content-Encoding identity', BODY, { 'Content-Encoding': 'identity' }],
  ['records before total', JSON.stringify({ records, success: true, total: 2 }), {}],
  ['indented JSON', JSON.stringify(JSON.parse(BODY), null, 8), {}],
]

describeHub('response bodies of a pull', (hub) => {
  // `json-array-scanner.test.ts` reads every layout.
  for (const [name, body, headers] of FORMATS.slice(0, rounds(7, FORMATS.length))) {
    test(`a response with ${name} is read`, async () => {
      await using kit = await addPulledPlatform(hub)
      kit.platform.setResponse('records/cases', respond.text(body, json, headers))
      const task = await kit.pull()
      assert.deepEqual([task.state, task.error], ['succeeded', null])
      assert.deepEqual(task.warnings, [
        'The response lacks the members "platform_name", "record_type", which are required in a records response.',
      ])
      assert.deepEqual([task.total, task.created], [2, 2])
    })
  }

  test('a response that ends when the connection closes is read completely, at any length', async () => {
    await using kit = await addPulledPlatform(hub)
    // Each length ends at a different position within the chunks that the hub reads.
    for (const count of [600, 300, 1200, 5000].slice(0, rounds(1, 4))) {
      const body = JSON.stringify({
        records: Array.from({ length: count }, (_, n) => ({
          ...simulatedRecord(n),
          data: { text: 'x'.repeat(150) },
        })),
      })
      kit.platform.setResponse('records/cases', (response) =>
        response.socket?.end(
          `HTTP/1.1 200 OK\r\nContent-Type: ${json}\r\nConnection: close\r\n\r\n${body}`,
        ),
      )
      const task = await kit.pull()
      assert.deepEqual([task.state, task.error, task.received], ['succeeded', null, count])
    }
  })

  test('the hub sends no Accept-Encoding', async () => {
    await using kit = await addPulledPlatform(hub)
    await kit.pull()
    assert.equal(kit.platform.listRecordsRequests()[0]?.headers['accept-encoding'], undefined)
  })

  test('a body that is compressed in another way than its Content-Encoding says fails the task with an error that names it', async () => {
    await using kit = await addPulledPlatform(hub)
    for (const [encoding, body, error] of [
      ['compress', BODY, /Content-Encoding "compress" is not supported/],
      [
        'gzip, gzip',
        gzipSync(gzipSync(BODY)),
        /"gzip, gzip" is not supported; compress it only once/,
      ],
      ['identity', gzipSync(BODY), /it is compressed \(gzip\), but has no Content-Encoding/],
      ['', zstdCompressSync(BODY), /it is compressed \(zstd\), but has no Content-Encoding/],
      ['', deflateSync(BODY), /it is compressed \(deflate\), but has no Content-Encoding/],
      ['gzip', gzipSync(gzipSync(BODY)), /it is compressed twice: .* it still is gzip/],
    ] as const) {
      const headers = encoding === '' ? {} : { 'Content-Encoding': encoding }
      kit.platform.setResponse('records/cases', respond.text(body, json, headers))
      const task = await kit.pull()
      assert.equal(task.state, 'failed')
      assert.match(task.error ?? '', error)
    }
  })

  test('only the record over 16 MiB is rejected, with its position, even if it compresses to a few KiB', async () => {
    await using kit = await addPulledPlatform(hub)
    const huge = simulatedRecord('huge', { text: 'x'.repeat(17 * MIB) })
    const body = gzipSync(JSON.stringify({ records: [records[0], huge, records[1]] }))
    assert.ok(body.length < 64 * 1024)
    kit.platform.setResponse(
      'records/cases',
      respond.text(body, json, { 'Content-Encoding': 'gzip' }),
    )
    const task = await kit.pull()
    assert.deepEqual([task.state, task.received, task.rejected], ['succeeded', 3, 1])
    assert.deepEqual(await kit.references(), ['R-1', 'R-2'])
    assert.match(only(await kit.rejected()).message, /element 1 .*16 MiB/)
  })

  test('oversized content outside of "records" fails the task; the records before it are stored', async () => {
    await using kit = await addPulledPlatform(hub)
    const body = gzipSync(
      `{"records":[${JSON.stringify(records[0])}],"x":"${'x'.repeat(64 * MIB)}"}`,
    )
    kit.platform.setResponse(
      'records/cases',
      respond.text(body, json, { 'Content-Encoding': 'gzip' }),
    )
    const task = await kit.pull()
    assert.equal(task.state, 'failed')
    assert.match(task.error ?? '', /too large outside of "records"/)
    assert.deepEqual(await kit.references(), ['R-1'])
  })
})
