import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Pull, PullTask } from '@recordhub/protocol'
import {
  durationOf,
  patternInWords,
  progressInWords,
  shownCounts,
  taskInWords,
  taskPercent,
} from './pull-words.ts'

const STARTED = '2026-11-21T07:30:00.000Z'
const NOW = Date.parse(STARTED) + 12_000
const COUNTS = {
  received: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  stale: 0,
  rejected: 0,
  missing: 0,
}

const pull: Pull = {
  id: 7,
  trigger: 'operator',
  state: 'running',
  requested_at: STARTED,
  started_at: STARTED,
  finished_at: null,
  progress: {
    tasks_total: 5,
    tasks_done: 2,
    records_total: 3000,
    records_received: 1204,
    percent: 40,
    records_per_second: 100,
    seconds_left: 18,
  },
  counts: COUNTS,
}

const task: PullTask = {
  platform_name: 'school',
  platform_title: 'School',
  record_type: 'students',
  module_name: 'Students',
  state: 'running',
  total: null,
  ...COUNTS,
  error: null,
  warnings: [],
  started_at: STARTED,
  finished_at: null,
}

describe('pull labels', () => {
  it('show the progress, the elapsed time and the time left', () => {
    assert.equal(
      progressInWords(pull, NOW),
      '1,204 of 3,000 records · 2 of 5 modules · 12 s · about 18 s left · 100 records a second',
    )
  })

  it('show no estimate if none is known or the pull has ended', () => {
    const unknown = { ...pull.progress, records_total: null, seconds_left: null }
    const progress = { ...unknown, records_per_second: null }
    assert.equal(
      progressInWords({ ...pull, progress }, NOW),
      '1,204 records · 2 of 5 modules · 12 s',
    )
    const still = { ...unknown, records_received: 0, records_per_second: 0 }
    assert.equal(
      progressInWords({ ...pull, progress: still }, NOW),
      'no record yet · 2 of 5 modules · 12 s',
    )
    const finished_at = '2026-11-21T07:30:30.000Z'
    assert.equal(
      progressInWords({ ...pull, finished_at }, NOW),
      '1,204 records · 2 of 5 modules · 30 s',
    )
    assert.match(progressInWords({ ...pull, started_at: null }, NOW), /waiting to start/)
  })

  it('do not report zero records while records may still arrive', () => {
    const begun = { ...pull.progress, records_received: 0 }
    assert.match(progressInWords({ ...pull, progress: begun }, NOW), /^no record yet · /)
    const beyond = { ...pull.progress, records_received: 3000 }
    assert.match(progressInWords({ ...pull, progress: beyond }, NOW), /^3,000 records · /)
    assert.equal(taskInWords({ ...task, state: 'queued' }), 'waiting for its turn')
    assert.equal(taskInWords(task), 'waiting for the first record')
    assert.equal(taskInWords({ ...task, state: 'failed', finished_at: STARTED }), '0 records')
  })

  it('never show a negative duration, even if clocks differ', () => {
    assert.equal(durationOf(pull, Date.parse(STARTED) - 60_000), 0)
  })

  it('show the progress of a module if its total is known', () => {
    assert.equal(taskPercent({ ...task, state: 'queued' }), 0)
    assert.equal(taskPercent(task), null)
    assert.equal(taskPercent({ ...task, total: 200, received: 50 }), 25)
    assert.equal(taskPercent({ ...task, total: 200, received: 500 }), 99)
    assert.equal(taskPercent({ ...task, total: 0 }), 100)
    assert.equal(taskPercent({ ...task, state: 'failed', finished_at: STARTED }), 100)
  })

  it('summarise the records of a module without zero counts', () => {
    const counted = { ...task, total: 3000, received: 1200, created: 3, rejected: 1 }
    assert.equal(taskInWords(counted), '1,200 of 3,000 records · 3 new · 1 failed')
    assert.equal(
      taskInWords({ ...counted, state: 'succeeded', finished_at: STARTED }),
      '1,200 records · 3 new · 1 failed',
    )
    assert.deepEqual(
      shownCounts({ ...COUNTS, missing: 2 }).map(({ label }) => label),
      ['Received', 'New', 'Changed', 'Unchanged', 'Failed', 'Gone'],
    )
  })

  it('describe common schedules in words', () => {
    assert.deepEqual(['* * * * *', '*/5 * * * *', '17 3 * * *'].map(patternInWords), [
      'every minute',
      'every 5 minutes',
      'by the pattern 17 3 * * *',
    ])
  })
})
