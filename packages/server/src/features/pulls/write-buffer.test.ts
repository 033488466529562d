import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import type { RecordsChunk } from '../../platform-client/records/records-chunk.ts'
import { WriteBuffer, type WriteBufferDeps } from './write-buffer.ts'

const KIB = 1024

function createChunk(index: number, bytes: number, elements = 0): RecordsChunk {
  const starts = Array.from({ length: elements }, () => 0)
  return { bytes: new Uint8Array(bytes), starts, ends: starts, firstIndex: index, tooLarge: [] }
}

/** A buffer whose commits wait until the test releases them. */
function createBuffer(deps: Partial<WriteBufferDeps<number[]>> = {}) {
  const prepared: number[][] = []
  const commits: number[][] = []
  const open: PromiseWithResolvers<void>[] = []
  let time = 0
  const buffer = new WriteBuffer<number[]>({
    async prepare(chunks) {
      const indexes = chunks.map((chunk) => chunk.firstIndex)
      prepared.push(indexes)
      return indexes
    },
    async store(indexes) {
      commits.push(indexes)
      const commit = Promise.withResolvers<void>()
      open.push(commit)
      await commit.promise
    },
    hasPushes: () => false,
    // Every commit takes long, so the limit stays at its minimum.
    now: () => (time += 1000),
    ...deps,
  })
  async function untilCommits(count: number): Promise<void> {
    while (commits.length < count) await nextIteration()
  }
  /** Ends this number of commits, from the first one on. */
  async function endCommits(count: number): Promise<void> {
    for (let commit = 0; commit < count; commit += 1) {
      await untilCommits(commit + 1)
      open[commit]?.resolve()
    }
  }
  return {
    buffer,
    prepared,
    commits,
    untilCommits,
    endCommits,
    commitOf: (one: number) => open[one],
  }
}

for (const [condition, hasPushes, kib] of [
  ['without pushes', false, 64],
  ['during pushes', true, 16],
] as const) {
  test(`chunks read during a commit are stored together in order, up to the limit ${condition}`, async () => {
    const { buffer, commits, untilCommits, endCommits } = createBuffer({
      hasPushes: () => hasPushes,
    })
    await buffer.add(createChunk(0, kib * KIB))
    await untilCommits(1)
    for (let index = 1; index <= 5; index += 1) await buffer.add(createChunk(index, kib * KIB))
    await endCommits(3)
    await buffer.end()
    assert.deepEqual(commits, [[0], [1, 2, 3, 4], [5]])
  })
}

test('a batch that has reached the limit is prepared during the commit of the previous one', async () => {
  const { buffer, prepared, commits, untilCommits, endCommits } = createBuffer()
  await buffer.add(createChunk(0, 64 * KIB))
  await untilCommits(1)
  for (let index = 1; index <= 3; index += 1) await buffer.add(createChunk(index, 64 * KIB))
  assert.deepEqual(prepared, [[0]])
  await buffer.add(createChunk(4, 64 * KIB))
  assert.deepEqual(prepared, [[0], [1, 2, 3, 4]])
  assert.deepEqual(commits, [[0]])
  await endCommits(2)
  await buffer.end()
})

for (const [what, elements, milliseconds, largest] of [
  ['fast', 0, 10, 16],
  ['slow', 0, 1000, 4],
  ['fast and of very small elements', 2048, 10, 4],
] as const) {
  test(`commits that are ${what} have up to ${largest} chunks of 64 KiB`, async () => {
    const sizes: number[] = []
    let time = 0
    const buffer = new WriteBuffer<number>({
      prepare: async (chunks) => chunks.length,
      async store(chunks) {
        sizes.push(chunks)
        time += milliseconds
        await nextIteration()
      },
      hasPushes: () => false,
      now: () => time,
    })
    for (let index = 0; index < 100; index += 1) {
      await buffer.add(createChunk(index, 64 * KIB, elements))
    }
    await buffer.end()
    assert.equal(Math.max(...sizes), largest)
  })
}

test('large elements are stored alone and are not read ahead', async () => {
  const { buffer, commits, untilCommits, endCommits, commitOf } = createBuffer()
  let isNextRead = false
  const adding = buffer.add(createChunk(0, 16 * 1024 * KIB)).then(() => {
    isNextRead = true
  })
  await untilCommits(1)
  await nextIteration()
  assert.equal(isNextRead, false)
  commitOf(0)?.resolve()
  await adding
  await buffer.add(createChunk(1, KIB))
  await endCommits(2)
  await buffer.end()
  assert.deepEqual(commits, [[0], [1]])
})

test('no more than three batches are held', async () => {
  const { buffer, commits, untilCommits, endCommits } = createBuffer()
  await buffer.add(createChunk(0, 256 * KIB))
  await untilCommits(1)
  await buffer.add(createChunk(1, 256 * KIB))
  await buffer.add(createChunk(2, 256 * KIB))
  let isNextRead = false
  const adding = buffer.add(createChunk(3, 256 * KIB)).then(() => {
    isNextRead = true
  })
  await nextIteration()
  assert.equal(isNextRead, false)
  await endCommits(4)
  await adding
  await buffer.end()
  assert.deepEqual(commits, [[0], [1], [2], [3]])
})

test('after a failure nothing more is stored, and add() and end() reject', async () => {
  const { buffer, commits, untilCommits, commitOf } = createBuffer()
  await buffer.add(createChunk(0, 64 * KIB))
  await untilCommits(1)
  for (let index = 1; index <= 6; index += 1) await buffer.add(createChunk(index, 64 * KIB))
  commitOf(0)?.reject(new Error('the disk is full'))
  await assert.rejects(buffer.end(), /the disk is full/)
  await assert.rejects(buffer.add(createChunk(7, KIB)), /the disk is full/)
  await nextIteration()
  assert.deepEqual(commits, [[0]])
})

test('a batch that cannot be prepared fails after the previous one is stored', async () => {
  const { buffer, commits, untilCommits, commitOf } = createBuffer({
    async prepare(chunks) {
      const indexes = chunks.map((chunk) => chunk.firstIndex)
      if (indexes.includes(1)) throw new Error('the database is unavailable')
      return indexes
    },
  })
  await buffer.add(createChunk(0, 256 * KIB))
  await untilCommits(1)
  await buffer.add(createChunk(1, 256 * KIB))
  commitOf(0)?.resolve()
  await assert.rejects(buffer.end(), /the database is unavailable/)
  assert.deepEqual(commits, [[0]])
})
