import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsInWords, estimateProgress, noCounts, type PullWork } from './pull.ts'

const WORK: PullWork = {
  isOver: false,
  tasksTotal: 4,
  tasksDone: 1,
  expected: 200,
  done: 50,
  received: 60,
  seconds: 10,
}

test('progress is based on records if their total is known, otherwise on tasks', () => {
  assert.deepEqual(estimateProgress(WORK), { percent: 25, records_per_second: 6, seconds_left: 25 })
  const unknown = estimateProgress({ ...WORK, expected: null })
  assert.deepEqual(unknown, { percent: 25, records_per_second: 6, seconds_left: null })
  assert.equal(estimateProgress({ ...WORK, expected: null, tasksDone: 3 }).percent, 75)
  assert.equal(estimateProgress({ ...WORK, seconds: 0.5 }).records_per_second, 120)
})

test('progress reaches 100 % only when the pull has ended', () => {
  assert.equal(estimateProgress({ ...WORK, done: 200, tasksDone: 4 }).percent, 99)
  const over = estimateProgress({ ...WORK, isOver: true })
  assert.deepEqual(over, { percent: 100, records_per_second: 6, seconds_left: null })
})

test('nothing is estimated without data', () => {
  assert.equal(estimateProgress({ ...WORK, tasksTotal: 0, expected: 0 }).percent, null)
  for (const seconds of [null, 0]) {
    const { records_per_second, seconds_left } = estimateProgress({ ...WORK, seconds })
    assert.deepEqual([records_per_second, seconds_left], [null, null])
  }
})

test('counts are listed without zeros', () => {
  assert.equal(countsInWords({ ...noCounts(), created: 2, unchanged: 1 }), '2 new, 1 unchanged')
  assert.equal(countsInWords({ ...noCounts(), missing: 3456 }), '3,456 gone')
  assert.equal(countsInWords(noCounts()), 'no records')
})
