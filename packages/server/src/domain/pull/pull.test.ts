import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateProgress, formatCounts, noCounts, type PullWork } from './pull.ts'

const WORK: PullWork = {
  hasEnded: false,
  tasksTotal: 4,
  tasksDone: 1,
  known: { tasks: 4, expected: 200, done: 50 },
  unknown: { tasks: 0, received: 0 },
  received: 60,
  seconds: 10,
  running: null,
  isWaiting: false,
}
const NOTHING_KNOWN = { tasks: 0, expected: 0, done: 0 }

test('progress is weighted by records, not by modules', () => {
  assert.deepEqual(estimateProgress(WORK), {
    records_expected: 200,
    records_done: 50,
    percent: 25,
    records_per_second: 6,
    seconds_left: 25,
  })
  assert.equal(estimateProgress({ ...WORK, tasksDone: 3 }).percent, 25)
  assert.equal(estimateProgress({ ...WORK, seconds: 0.5 }).records_per_second, 120)
})

test('the rate and the time left depend on the running tasks, not on those that have ended', () => {
  const work = {
    ...WORK,
    known: { tasks: 4, expected: 8000, done: 6500 },
    received: 6500,
    running: { received: 500, seconds: 10 },
  }
  const slow = estimateProgress(work)
  assert.deepEqual([slow.percent, slow.records_per_second, slow.seconds_left], [81, 50, 30])
  const stalled = estimateProgress({ ...work, running: { received: 0, seconds: 10 }, seconds: 100 })
  assert.deepEqual([stalled.records_per_second, stalled.seconds_left], [0, 24])
  const starting = estimateProgress({ ...work, running: { received: 20, seconds: 0.01 } })
  assert.deepEqual([starting.records_per_second, starting.seconds_left], [20, 75])
})

test('a module whose number of records is unknown counts as the average of the others', () => {
  const work = { ...WORK, known: { tasks: 3, expected: 300, done: 90 } }
  const waiting = estimateProgress({ ...work, unknown: { tasks: 1, received: 0 } })
  assert.deepEqual([waiting.records_expected, waiting.percent], [400, 22])
  const started = estimateProgress({ ...work, unknown: { tasks: 1, received: 70 } })
  assert.deepEqual([started.records_done, started.percent], [160, 40])
  const larger = estimateProgress({ ...work, unknown: { tasks: 1, received: 900 } })
  assert.deepEqual([larger.records_expected, larger.percent], [1200, 82])
})

test('without any known number of records, progress counts modules and still estimates the time left', () => {
  const unknown = { tasks: 4, received: 60 }
  const none = estimateProgress({ ...WORK, known: NOTHING_KNOWN, unknown })
  assert.deepEqual(none, {
    records_expected: null,
    records_done: null,
    percent: 25,
    records_per_second: 6,
    seconds_left: 30,
  })
})

test('progress reaches 100 % only when the pull has ended', () => {
  const all = { tasks: 4, expected: 200, done: 200 }
  assert.equal(estimateProgress({ ...WORK, known: all, tasksDone: 4 }).percent, 99)
  const ended = estimateProgress({ ...WORK, hasEnded: true })
  assert.deepEqual([ended.percent, ended.seconds_left], [100, null])
})

test('the time left is estimated neither for a short pull nor before the response of a platform', () => {
  assert.equal(estimateProgress({ ...WORK, received: 120, seconds: 7.4 }).seconds_left, null)
  assert.equal(estimateProgress({ ...WORK, isWaiting: true }).seconds_left, null)
})

test('nothing is estimated without data', () => {
  const empty = { ...WORK, tasksTotal: 0, tasksDone: 0, known: NOTHING_KNOWN }
  assert.equal(estimateProgress(empty).percent, null)
  for (const seconds of [null, 0]) {
    const { records_per_second, seconds_left } = estimateProgress({ ...WORK, seconds })
    assert.deepEqual([records_per_second, seconds_left], [null, null])
  }
})

test('counts are listed without zeros', () => {
  assert.equal(formatCounts({ ...noCounts(), created: 2, unchanged: 1 }), '2 new, 1 unchanged')
  assert.equal(formatCounts({ ...noCounts(), missing: 3456 }), '3,456 missing')
  assert.equal(formatCounts(noCounts()), 'no records')
})
