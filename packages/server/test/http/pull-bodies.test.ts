/** The forms in which one answer may come: compressed, in any order, with elements of any size. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { startPulledHub } from '../helpers/hub/pulled-hub.ts'
import { respond, simulatedRecord } from '../helpers/platform/platform.ts'
import { onEachEngineWhenDeep } from '../helpers/storage/engines.ts'
import { only } from '../helpers/storage/fixtures.ts'

const json = 'application/json'
const records = [simulatedRecord(1), simulatedRecord(2)]
const answer = JSON.stringify({ success: true, total: 2, records })
const MIB = 1024 * 1024

const FORMS: readonly (readonly [string, string | Buffer, Record<string, string>])[] = [
  ['gzip', gzipSync(answer), { 'Content-Encoding': 'gzip' }],
  ['x-gzip', gzipSync(answer), { 'Content-Encoding': 'X-GZIP' }],
  ['deflate', deflateSync(answer), { 'Content-Encoding': 'deflate' }],
  ['brotli', brotliCompressSync(answer), { 'Content-Encoding': 'br' }],
  ['zstd', zstdCompressSync(answer), { 'Content-Encoding': 'zstd' }],
  ['identity', answer, { 'Content-Encoding': 'identity' }],
  ['a byte order mark', `\uFEFF${answer}`, {}],
  ['records before total', JSON.stringify({ records, success: true, total: 2 }), {}],
  ['space around everything', JSON.stringify(JSON.parse(answer), null, 8), {}],
]

onEachEngineWhenDeep((engine) => {
  describe(`the forms of an answer, on ${engine.name}`, () => {
    for (const [name, body, headers] of FORMS) {
      test(`${name} is read`, async () => {
        await using kit = await startPulledHub(engine)
        kit.platform.behave('records/cases', respond.text(body, json, headers))
        const task = await kit.pull()
        assert.deepEqual([task.state, task.error, task.warnings], ['succeeded', null, []])
        assert.deepEqual([task.total, task.created], [2, 2])
      })
    }

    test('an answer that ends with its connection is read, whatever the hub has read when it does', async () => {
      await using kit = await startPulledHub(engine)
      // Each ends at another place in what the hub takes at once.
      for (const count of [300, 600, 1200, 5000]) {
        const body = JSON.stringify({
          records: Array.from({ length: count }, (_, n) => ({
            ...simulatedRecord(n),
            data: { text: 'x'.repeat(150) },
          })),
        })
        kit.platform.behave('records/cases', (response) =>
          response.socket?.end(
            `HTTP/1.1 200 OK\r\nContent-Type: ${json}\r\nConnection: close\r\n\r\n${body}`,
          ),
        )
        const task = await kit.pull()
        assert.deepEqual([task.state, task.error, task.received], ['succeeded', null, count])
      }
    })

    test('the hub asks for no compression', async () => {
      await using kit = await startPulledHub(engine)
      await kit.pull()
      assert.equal(kit.platform.asked()[0]?.headers['accept-encoding'], undefined)
    })

    test('a compression that the hub does not read is named', async () => {
      await using kit = await startPulledHub(engine)
      const headers = { 'Content-Encoding': 'compress' }
      kit.platform.behave('records/cases', respond.text(answer, json, headers))
      const task = await kit.pull()
      assert.equal(task.state, 'failed')
      assert.match(task.error ?? '', /Content-Encoding "compress"/)
    })

    test('an element over 16 MiB is rejected alone, with its place, also out of a few KiB', async () => {
      await using kit = await startPulledHub(engine)
      const huge = simulatedRecord('huge', { text: 'x'.repeat(17 * MIB) })
      const body = gzipSync(JSON.stringify({ records: [records[0], huge, records[1]] }))
      assert.ok(body.length < 64 * 1024)
      kit.platform.behave('records/cases', respond.text(body, json, { 'Content-Encoding': 'gzip' }))
      const task = await kit.pull()
      assert.deepEqual([task.state, task.received, task.rejected], ['succeeded', 3, 1])
      assert.deepEqual(await kit.references(), ['R-1', 'R-2'])
      assert.match(only(await kit.rejected()).message, /element 1 .*16 MiB/)
    })

    test('what swells outside of the records is refused, and what came before it stays', async () => {
      await using kit = await startPulledHub(engine)
      const body = gzipSync(
        `{"records":[${JSON.stringify(records[0])}],"x":"${'x'.repeat(64 * MIB)}"}`,
      )
      kit.platform.behave('records/cases', respond.text(body, json, { 'Content-Encoding': 'gzip' }))
      const task = await kit.pull()
      assert.equal(task.state, 'failed')
      assert.match(task.error ?? '', /too large outside of "records"/)
      assert.deepEqual(await kit.references(), ['R-1'])
    })
  })
})
