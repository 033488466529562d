/** Timeouts of a pull for slow and endless responses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Storage } from '../../src/storage/port/storage.ts'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startPulledHub } from '../helpers/hub/pulled-hub.ts'
import { type Responder, respond, simulatedRecord } from '../helpers/platform/platform.ts'
import { createManualTimer } from '../helpers/time/manual-timer.ts'
import { isDeep } from '../helpers/time/tier.ts'

const BEGINNING = `{"records":[${JSON.stringify(simulatedRecord(1))},`
const SILENCE = { silenceMs: 100 }
const THROUGHPUT = { windowMs: 300, bytesPerSecond: 1024 }

describeOnEngines('slow platforms', (engine) => {
  test('the silence timeout does not apply before the response starts', async () => {
    const timer = createManualTimer()
    await using kit = await startPulledHub(engine, { timeouts: { ...SILENCE, timer } })
    kit.platform.modules[0]?.records.push(simulatedRecord(1))
    const delayed = kit.platform.delayNextResponse('records/cases')
    const pulling = kit.pull()
    await delayed.arrived
    timer.advance(3000)
    delayed.release()
    assert.equal((await pulling).created, 1)
  })

  const half = gzipSync(BEGINNING.repeat(100)).subarray(0, 60)
  /** Where the platform falls silent, the timers that the hub has started until then, and the stored records. */
  const silences: readonly (readonly [string, Responder, number, string[]])[] = [
    ['within a response', respond.stall(BEGINNING), 2, ['R-1']],
    [
      'between the headers and the body',
      (response) => response.writeHead(200).flushHeaders(),
      1,
      [],
    ],
    ['within a compressed response', respond.stall(half, { 'Content-Encoding': 'gzip' }), 2, []],
  ]
  for (const [where, response, timers, stored] of silences) {
    test(`silence ${where} fails the task, and the records before it are stored`, async () => {
      const timer = createManualTimer()
      await using kit = await startPulledHub(engine, { timeouts: { ...SILENCE, timer } })
      kit.platform.setResponse('records/cases', response)
      const pulling = kit.pull()
      await timer.untilScheduled(timers)
      timer.advance(100)
      const task = await pulling
      assert.equal(task.state, 'failed')
      assert.match(task.error ?? '', /it sent nothing for 0\.1 s/)
      assert.deepEqual(await kit.references(), stored)
    })
  }

  if (isDeep)
    test('an endless response below the minimum throughput fails the task, and the records before it are stored', async () => {
      const timer = createManualTimer()
      await using kit = await startPulledHub(engine, { timeouts: { ...THROUGHPUT, timer } })
      kit.platform.setResponse('records/cases', respond.trickle(BEGINNING, 10))
      let hasEnded = false
      const pulling = kit.pull().finally(() => {
        hasEnded = true
      })
      // Advances a tenth of a second for each chunk, or for several that arrive together.
      await timer.untilScheduled(2)
      while (!hasEnded) {
        timer.advance(100)
        await Promise.race([timer.untilScheduled(1), pulling])
      }
      const task = await pulling
      assert.equal(task.state, 'failed')
      assert.match(task.error ?? '', /fewer than 1024 bytes per second for 0\.3 s/)
      assert.deepEqual(await kit.references(), ['R-1'])
    })

  test('slow writes in the hub do not count against the platform', async () => {
    const timer = createManualTimer()
    let isFirst = true
    const wrap = (storage: Storage): Storage => ({
      ...storage,
      records: {
        ...storage.records,
        async applyWrites(batch) {
          const isSlow = isFirst && batch.writes.some((write) => 'read' in write)
          if (isSlow) {
            isFirst = false
            // Waits until the hub has filled its read-ahead buffer.
            while (timer.hasPending()) await new Promise(setImmediate)
            timer.advance(10_000)
          }
          return storage.records.applyWrites(batch)
        },
      },
    })
    const timeouts = { silenceMs: 250, windowMs: 250, bytesPerSecond: 1, timer }
    await using kit = await startPulledHub(engine, { wrap, timeouts })
    // More than the read-ahead buffer and the socket buffers hold.
    const text = 'x'.repeat(64 * 1024)
    const records = Array.from({ length: 400 }, (_, index) => simulatedRecord(index, { text }))
    kit.platform.setResponse('records/cases', respond.json({ records }))
    const task = await kit.pull()
    assert.deepEqual([task.state, task.error, task.created], ['succeeded', null, 400])
  })

  test('a 503 whose body never ends does not delay the retry', async () => {
    await using kit = await startPulledHub(engine)
    const busy: Responder = (response) => void response.writeHead(503).write('wait')
    kit.platform.queueResponses('records/cases', busy)
    assert.equal((await kit.pull()).state, 'succeeded')
    assert.equal(kit.platform.listRecordsRequests().length, 2)
  })
})
