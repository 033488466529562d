import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { RecordsChunk } from '../../platform-client/records/records-chunk.ts'
import { WriteBuffer } from './write-buffer.ts'

const KIB = 1024

function slice(index: number, bytes: number): RecordsChunk {
  return { bytes: new Uint8Array(bytes), starts: [], ends: [], firstIndex: index, tooLarge: [] }
}

/** A store whose commits wait until the test releases them. */
function createStore() {
  const commits: number[][] = []
  const open: PromiseWithResolvers<void>[] = []
  const store = async (slices: RecordsChunk[]) => {
    commits.push(slices.map((slice) => slice.firstIndex))
    const gate = Promise.withResolvers<void>()
    open.push(gate)
    await gate.promise
  }
  async function untilCommits(count: number): Promise<void> {
    while (commits.length < count) await turn()
  }
  return { commits, store, untilCommits, gateOf: (commit: number) => open[commit] }
}

for (const [what, hasPushes, kib] of [
  ['without pushes', false, 64],
  ['during pushes', true, 16],
] as const) {
  test(`slices read during a commit are stored together in order, up to the limit ${what}`, async () => {
    const { commits, store, untilCommits, gateOf } = createStore()
    const ahead = new WriteBuffer(store, () => hasPushes)
    await ahead.add(slice(0, kib * KIB))
    await untilCommits(1)
    for (let index = 1; index <= 5; index += 1) await ahead.add(slice(index, kib * KIB))
    gateOf(0)?.resolve()
    await untilCommits(2)
    gateOf(1)?.resolve()
    await untilCommits(3)
    gateOf(2)?.resolve()
    await ahead.end()
    assert.deepEqual(commits, [[0], [1, 2, 3, 4], [5]])
  })
}

test('large elements are stored alone and are not read ahead', async () => {
  const { commits, store, untilCommits, gateOf } = createStore()
  const ahead = new WriteBuffer(store, () => false)
  let isReadOn = false
  const adding = ahead.add(slice(0, 16 * 1024 * KIB)).then(() => {
    isReadOn = true
  })
  await untilCommits(1)
  await turn()
  assert.equal(isReadOn, false)
  gateOf(0)?.resolve()
  await adding
  await ahead.add(slice(1, KIB))
  await untilCommits(2)
  gateOf(1)?.resolve()
  await ahead.end()
  assert.deepEqual(commits, [[0], [1]])
})

test('after a failure nothing more is stored, and add() and end() reject', async () => {
  const { commits, store, untilCommits, gateOf } = createStore()
  const ahead = new WriteBuffer(store, () => false)
  await ahead.add(slice(0, 64 * KIB))
  await untilCommits(1)
  for (let index = 1; index <= 6; index += 1) await ahead.add(slice(index, 64 * KIB))
  gateOf(0)?.reject(new Error('the disk is full'))
  await assert.rejects(ahead.end(), /the disk is full/)
  await assert.rejects(ahead.add(slice(7, KIB)), /the disk is full/)
  await turn()
  assert.deepEqual(commits, [[0]])
})
