import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Replay } from '@recordhub/protocol'
import { acceptedOf, addStep, EMPTY_RUN, percentOf } from './replay-run.ts'

const replay = (id: number, outcome: Replay['outcome'], message = ''): Replay => ({
  ...{ id, outcome, message, record_id: null, code: null, errors: {} },
})

test('the steps add up, with the reasons of rejections sorted by frequency', () => {
  const first = addStep(EMPTY_RUN, {
    counts: { ...EMPTY_RUN.counts, created: 1, rejected: 1 },
    replays: [replay(1, 'created', 'Stored.'), replay(2, 'rejected', 'No data.')],
    remaining: 3,
  })
  assert.deepEqual([first.done, first.total, percentOf(first)], [2, 5, 40])
  const second = addStep(first, {
    counts: { ...EMPTY_RUN.counts, stale: 1, rejected: 2 },
    replays: [
      replay(3, 'rejected', 'No name.'),
      replay(4, 'rejected', 'No name.'),
      replay(5, 'stale'),
    ],
    remaining: 0,
  })
  assert.deepEqual(second.counts, { created: 1, updated: 0, unchanged: 0, stale: 1, rejected: 3 })
  assert.deepEqual(second.reasons, [
    { message: 'No name.', count: 2 },
    { message: 'No data.', count: 1 },
  ])
  assert.deepEqual([percentOf(second), acceptedOf(second)], [100, 2])
})

test('all figures are zero before the first step', () => {
  assert.deepEqual([percentOf(EMPTY_RUN), acceptedOf(EMPTY_RUN)], [0, 0])
})
