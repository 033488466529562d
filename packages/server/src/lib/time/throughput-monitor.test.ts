import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { createManualTimer } from '../../../test/helpers/time/manual-timer.ts'
import { monitorThroughput, ThroughputMonitor } from './throughput-monitor.ts'

const LIMITS = { silenceMs: 30_000, windowMs: 60_000, bytesPerSecond: 1024 }

test('a sender is silent after 30 s, in one wait or in several', () => {
  assert.equal(new ThroughputMonitor(LIMITS).record(30_000, 0), 'silent')
  const monitor = new ThroughputMonitor(LIMITS)
  assert.equal(monitor.record(20_000, 0), null)
  assert.equal(monitor.nextCheckMs, 10_000)
  assert.equal(monitor.record(10_000, 0), 'silent')
})

test('a byte per second is not silence, but too slow over a minute', () => {
  const monitor = new ThroughputMonitor(LIMITS)
  for (let second = 1; second < 60; second++) assert.equal(monitor.record(1000, 1), null)
  assert.equal(monitor.record(1000, 1), 'slow')
})

test('1 KiB per second is always fast enough', () => {
  const monitor = new ThroughputMonitor(LIMITS)
  for (let second = 0; second < 1000; second++) assert.equal(monitor.record(1000, 1024), null)
})

test('the bytes of one minute do not count for the next one', () => {
  const monitor = new ThroughputMonitor(LIMITS)
  assert.equal(monitor.record(60_000, 10_000_000), null)
  for (let wait = 0; wait < 5; wait++) assert.equal(monitor.record(10_000, 10), null)
  assert.equal(monitor.record(10_000, 10), 'slow')
})

test('the remaining wait is always positive and never exceeds the silence limit', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5000), { maxLength: 200 }), (sizes) => {
      const monitor = new ThroughputMonitor(LIMITS)
      for (const bytes of sizes) {
        const { nextCheckMs } = monitor
        assert.ok(nextCheckMs > 0 && nextCheckMs <= LIMITS.silenceMs)
        if (monitor.record(nextCheckMs, bytes) !== null) return
      }
    }),
  )
})

const NEVER = { silenceMs: 60_000, windowMs: 60_000, bytesPerSecond: 0 }

function monitor(stream: Readable, limits: Partial<typeof NEVER>, timer = createManualTimer()) {
  return monitorThroughput(stream, { ...NEVER, ...limits }, (stall) => new Error(stall), timer)
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const received: Uint8Array[] = []
  for await (const chunk of chunks) received.push(chunk)
  return Buffer.concat(received).toString()
}

test('all data passes through, and the stream is closed', async () => {
  const stream = Readable.from([Buffer.from('a'), Buffer.from('bc')])
  assert.equal(await collect(monitor(stream, {})), 'abc')
  assert.equal(stream.destroyed, true)
})

test('a silent sender times out, and its stream is closed', async () => {
  const timer = createManualTimer()
  const stream = new PassThrough()
  stream.write('a')
  const reading = collect(monitor(stream, { silenceMs: 20 }, timer))
  const rejected = assert.rejects(reading, /silent/)
  // The timer for the chunk that does not arrive.
  await timer.untilScheduled(1)
  timer.advance(19)
  assert.ok(timer.hasPending())
  timer.advance(1)
  await rejected
  assert.equal(stream.destroyed, true)
})

test('a sender that is too slow times out', async () => {
  const timer = createManualTimer()
  const stream = new PassThrough()
  const limits = { silenceMs: 20, windowMs: 60, bytesPerSecond: 1000 }
  const rejected = assert.rejects(collect(monitor(stream, limits, timer)), /slow/)
  for (let piece = 1; piece <= 3; piece += 1) {
    timer.advance(19)
    stream.write('a')
    await timer.untilScheduled(1)
  }
  timer.advance(19)
  await rejected
})

test('a slow reader does not count against the sender', async () => {
  const chunks = Array.from({ length: 5 }, () => Buffer.from('a'))
  const timer = createManualTimer()
  const limits = { silenceMs: 40, windowMs: 40, bytesPerSecond: 1_000_000 }
  let count = 0
  for await (const _ of monitor(Readable.from(chunks), limits, timer)) {
    count += 1
    timer.advance(1000)
  }
  assert.equal(count, 5)
})

test('an error of the sender is passed on unchanged', async () => {
  const stream = new PassThrough()
  stream.write('a')
  const reading = collect(monitor(stream, {}))
  stream.destroy(new Error('cut off'))
  await assert.rejects(reading, /cut off/)
})

test('a reader that stops closes the stream', async () => {
  const stream = new PassThrough()
  const closed = once(stream, 'close')
  stream.write('a')
  for await (const _ of monitor(stream, {})) break
  await closed
})
