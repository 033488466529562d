import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import type { RecordsChunk } from '../../platform-client/records/records-chunk.ts'
import { WriteBuffer } from './write-buffer.ts'

const KIB = 1024

function createChunk(index: number, bytes: number): RecordsChunk {
  return { bytes: new Uint8Array(bytes), starts: [], ends: [], firstIndex: index, tooLarge: [] }
}

/** A store whose commits wait until the test releases them. */
function createStore() {
  const commits: number[][] = []
  const open: PromiseWithResolvers<void>[] = []
  const store = async (chunks: RecordsChunk[]) => {
    commits.push(chunks.map((chunk) => chunk.firstIndex))
    const commit = Promise.withResolvers<void>()
    open.push(commit)
    await commit.promise
  }
  async function untilCommits(count: number): Promise<void> {
    while (commits.length < count) await nextIteration()
  }
  return { commits, store, untilCommits, commitOf: (commit: number) => open[commit] }
}

for (const [condition, hasPushes, kib] of [
  ['without pushes', false, 64],
  ['during pushes', true, 16],
] as const) {
  test(`chunks read during a commit are stored together in order, up to the limit ${condition}`, async () => {
    const { commits, store, untilCommits, commitOf } = createStore()
    const buffer = new WriteBuffer(store, () => hasPushes)
    await buffer.add(createChunk(0, kib * KIB))
    await untilCommits(1)
    for (let index = 1; index <= 5; index += 1) await buffer.add(createChunk(index, kib * KIB))
    commitOf(0)?.resolve()
    await untilCommits(2)
    commitOf(1)?.resolve()
    await untilCommits(3)
    commitOf(2)?.resolve()
    await buffer.end()
    assert.deepEqual(commits, [[0], [1, 2, 3, 4], [5]])
  })
}

test('large elements are stored alone and are not read ahead', async () => {
  const { commits, store, untilCommits, commitOf } = createStore()
  const buffer = new WriteBuffer(store, () => false)
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
  await untilCommits(2)
  commitOf(1)?.resolve()
  await buffer.end()
  assert.deepEqual(commits, [[0], [1]])
})

test('after a failure nothing more is stored, and add() and end() reject', async () => {
  const { commits, store, untilCommits, commitOf } = createStore()
  const buffer = new WriteBuffer(store, () => false)
  await buffer.add(createChunk(0, 64 * KIB))
  await untilCommits(1)
  for (let index = 1; index <= 6; index += 1) await buffer.add(createChunk(index, 64 * KIB))
  commitOf(0)?.reject(new Error('the disk is full'))
  await assert.rejects(buffer.end(), /the disk is full/)
  await assert.rejects(buffer.add(createChunk(7, KIB)), /the disk is full/)
  await nextIteration()
  assert.deepEqual(commits, [[0]])
})
