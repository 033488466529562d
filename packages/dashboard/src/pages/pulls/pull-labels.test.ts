import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { STARTED, testPull, testTask } from '../../lib/test-pulls.ts'
import {
  durationOf,
  modulesLabel,
  progressLabel,
  pullStateLabel,
  shownCounts,
  starterLabel,
  taskLabel,
  taskPercent,
} from './pull-labels.ts'

const NOW = Date.parse(STARTED) + 12_000
const LATER = '2026-11-21T07:30:30.000Z'

describe('pull labels', () => {
  it('show the progress by records and the time left', () => {
    assert.equal(progressLabel(testPull()), '40 % · 1,204 of 3,000 records · about 18 s left')
    const partly = testPull({ progress: { records_total: 2500 } })
    assert.equal(progressLabel(partly), '40 % · 1,204 of about 3,000 records · about 18 s left')
    assert.equal(progressLabel(testPull({ finished_at: LATER })), '1,204 records')
  })

  it('omit the expected number of records if it is unknown or exceeded', () => {
    const unknown = { records_total: null, records_expected: null, seconds_left: null }
    assert.equal(
      progressLabel(testPull({ progress: unknown })),
      '40 % · 1,204 records · estimating time left',
    )
    const exceeded = testPull({ progress: { records_received: 3100 } })
    assert.equal(progressLabel(exceeded), '40 % · 3,100 records · about 18 s left')
  })

  it('never claim that no records were received while a module is being read', () => {
    const none = { records_received: 0, records_expected: null, records_total: null }
    assert.equal(progressLabel(testPull({ progress: none })), '40 % · about 18 s left')
    const expected = { records_received: 0 }
    assert.equal(progressLabel(testPull({ progress: expected })), '40 % · about 18 s left')
    assert.equal(taskLabel(testTask()), 'in progress…')
    assert.equal(taskLabel(testTask({ state: 'queued' })), 'queued')
    assert.equal(taskLabel(testTask({ state: 'failed', finished_at: STARTED })), '0 records')
  })

  it('count failed, cancelled and skipped modules separately', () => {
    assert.equal(modulesLabel(testPull(), NOW), '2 of 5 modules completed · 1 failed · 12 s')
    const task_states = { succeeded: 1, timed_out: 1, failed: 1, cancelled: 3, skipped: 1 }
    const ended = testPull({
      finished_at: LATER,
      progress: { tasks_total: 7, tasks_done: 7, task_states },
    })
    assert.equal(
      modulesLabel(ended, NOW),
      '1 of 7 modules completed · 2 failed · 3 cancelled · 1 skipped · 30 s',
    )
    assert.match(modulesLabel(testPull({ started_at: null }), NOW), /waiting to start$/)
  })

  it('name the operator or the trigger that started a pull', () => {
    assert.equal(starterLabel(testPull()), 'by Ann Example')
    assert.equal(starterLabel(testPull({ trigger: 'schedule', started_by: null })), 'by schedule')
  })

  it('never show a negative duration, even if clocks differ', () => {
    assert.equal(durationOf(testPull(), Date.parse(STARTED) - 60_000), 0)
  })

  it('show the progress of a module if the number of its records is known', () => {
    assert.equal(taskPercent(testTask({ state: 'queued' })), 0)
    assert.equal(taskPercent(testTask()), null)
    assert.equal(taskPercent(testTask({ expected: 0 })), null)
    assert.equal(taskPercent(testTask({ expected: 200, received: 50 })), 25)
    assert.equal(taskPercent(testTask({ expected: 200, received: 500 })), 99)
    assert.equal(taskPercent(testTask({ state: 'failed', finished_at: STARTED })), 100)
  })

  it('summarise the records of a module without zero counts', () => {
    const counted = testTask({ total: 3000, received: 1200, created: 3, rejected: 1 })
    assert.equal(taskLabel(counted), '1,200 of 3,000 records · 3 new · 1 rejected')
    assert.equal(
      taskLabel({ ...counted, state: 'succeeded', finished_at: STARTED }),
      '1,200 records · 3 new · 1 rejected',
    )
    assert.deepEqual(
      shownCounts(testPull({ counts: { missing: 2 } }).counts).map(({ label }) => label),
      ['Received', 'New', 'Updated', 'Unchanged', 'Rejected', 'Missing'],
    )
  })

  it('say how many records a pull did not contain', () => {
    const counts = { received: 480, not_listed: 321 }
    const label = '480 received · 321 not listed'
    const progress = { records_received: 480 }
    assert.equal(progressLabel(testPull({ finished_at: LATER, progress, counts })), label)
    const task = testTask({ ...counts, state: 'succeeded', finished_at: STARTED })
    assert.equal(taskLabel(task), label)
  })

  it('show a success with rejected or unlisted records in another color than any other state', () => {
    const none = { rejected: 0, not_listed: 0 }
    const label = pullStateLabel('succeeded', { rejected: 3, not_listed: 321 })
    assert.equal(label.label, 'Succeeded, 3 rejected, 321 not listed')
    const states = ['succeeded', 'partial', 'failed', 'cancelled', 'interrupted', 'running']
    const colors = [label.color, ...states.map((state) => pullStateLabel(state, none).color)]
    assert.equal(new Set(colors).size, colors.length)
    assert.equal(pullStateLabel('timed_out', { ...none, rejected: 3 }).label, 'Timed out')
  })
})
