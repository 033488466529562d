import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { createManualPassing } from '../../test/helpers/time/manual-passing.ts'
import { watchPace } from './watch-pace.ts'

const NEVER = { silenceMs: 60_000, windowMs: 60_000, bytesPerSecond: 0 }

function watch(stream: Readable, limits: Partial<typeof NEVER>, passing = createManualPassing()) {
  return watchPace(stream, { ...NEVER, ...limits }, (slowness) => new Error(slowness), passing)
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const piece of pieces) chunks.push(piece)
  return Buffer.concat(chunks).toString()
}

test('all data passes through, and the stream is closed', async () => {
  const stream = Readable.from([Buffer.from('a'), Buffer.from('bc')])
  assert.equal(await collect(watch(stream, {})), 'abc')
  assert.equal(stream.destroyed, true)
})

test('a silent sender times out, and its stream is closed', async () => {
  const passing = createManualPassing()
  const stream = new PassThrough()
  stream.write('a')
  const reading = collect(watch(stream, { silenceMs: 20 }, passing))
  const rejected = assert.rejects(reading, /silent/)
  // For the chunk that does not arrive.
  await passing.nextWaits(1)
  passing.pass(19)
  assert.ok(passing.isWaitedFor())
  passing.pass(1)
  await rejected
  assert.equal(stream.destroyed, true)
})

test('a sender that is too slow times out', async () => {
  const passing = createManualPassing()
  const stream = new PassThrough()
  const limits = { silenceMs: 20, windowMs: 60, bytesPerSecond: 1000 }
  const rejected = assert.rejects(collect(watch(stream, limits, passing)), /slow/)
  for (let piece = 1; piece <= 3; piece += 1) {
    passing.pass(19)
    stream.write('a')
    await passing.nextWaits(1)
  }
  passing.pass(19)
  await rejected
})

test('a slow reader does not count against the sender', async () => {
  const pieces = Array.from({ length: 5 }, () => Buffer.from('a'))
  const passing = createManualPassing()
  const limits = { silenceMs: 40, windowMs: 40, bytesPerSecond: 1_000_000 }
  let count = 0
  for await (const _ of watch(Readable.from(pieces), limits, passing)) {
    count += 1
    passing.pass(1000)
  }
  assert.equal(count, 5)
})

test('an error of the sender is passed on unchanged', async () => {
  const stream = new PassThrough()
  stream.write('a')
  const reading = collect(watch(stream, {}))
  stream.destroy(new Error('cut off'))
  await assert.rejects(reading, /cut off/)
})

test('a reader that stops closes the stream', async () => {
  const stream = new PassThrough()
  const closed = once(stream, 'close')
  stream.write('a')
  for await (const _ of watch(stream, {})) break
  await closed
})
