import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../server/test/helpers/random/fast-check.ts'
import { readLines } from './ndjson.ts'

function streamOf(chunks: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

test('lines are yielded complete, however the response is split into chunks', async () => {
  const lines = ['{"a":"ü"}', '{"b":"王"}', '{"c":1}']
  const bytes = new TextEncoder().encode(`${lines.join('\n')}\n\n`)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const offsets = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
      const chunks = offsets.slice(1).map((end, index) => bytes.slice(offsets[index], end))
      assert.deepEqual(await Array.fromAsync(readLines(streamOf(chunks))), lines)
    }),
  )
})

test('a last line without a line break is returned', async () => {
  const bytes = new TextEncoder().encode('a\nb')
  assert.deepEqual(await Array.fromAsync(readLines(streamOf([bytes]))), ['a', 'b'])
})

test('leaving the loop cancels the response stream', async () => {
  let isCancelled = false
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('line\n')),
    cancel: () => {
      isCancelled = true
    },
  })
  for await (const line of readLines(stream)) {
    assert.equal(line, 'line')
    break
  }
  assert.ok(isCancelled)
})
