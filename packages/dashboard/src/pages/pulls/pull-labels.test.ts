import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RecentPull } from '@recordhub/protocol'
import { emptySnapshot, STARTED, testPull, testTask } from '../../lib/test-pulls.ts'
import {
  alreadyRunningLabel,
  durationOf,
  modulesLabel,
  platformsLabel,
  progressLabel,
  pullStateLabel,
  readModeLabel,
  shownCounts,
  starterLabel,
  taskPercent,
  waitingLabel,
} from './pull-labels.ts'

const NOW = Date.parse(STARTED) + 12_000
const at = (second: number) => new Date(Date.parse(STARTED) + second * 1000).toISOString()
const LATER = '2026-11-21T07:30:30.000Z'

describe('pull labels', () => {
  it('count the platforms of a pull that were read, unless only a part of the platforms is known', () => {
    const of = (platform_id: number, state: RecentPull['state'], pull_id = testPull().id) => ({
      platform_id,
      pulls: [{ pull_id, state, rejected: 0, not_listed: 0, finished_at: LATER }],
    })
    const pulls = [of(1, 'succeeded'), of(2, 'partial'), of(3, 'succeeded', 1)]
    const label = (recent_pulls: typeof pulls, platforms = 0) =>
      platformsLabel(testPull(), {
        ...{ recent_pulls, platforms: [], stats: { ...emptySnapshot.stats, platforms } },
      })
    assert.equal(label(pulls), '1 of 2 platforms')
    assert.equal(label(pulls, 3), null)
    assert.equal(label(pulls.slice(1)), null)
  })
  it('show the stored records and the time left', () => {
    const label = (over: Parameters<typeof testPull>[0]) => progressLabel(testPull(over), NOW)
    const left = 'about 18 s left'
    assert.equal(label({}), `40 % · 1,204 of 3,000 records stored · ${left}`)
    const partly = { records_total: 2500, seconds_left: null }
    assert.equal(label({ progress: partly }), '40 % · 1,204 of about 3,000 records stored')
    const counts = { created: 1100, unchanged: 100, rejected: 4 }
    assert.equal(label({ counts }), `40 % · 1,200 of 3,000 records stored · ${left}`)
    assert.equal(label({ finished_at: LATER }), '1,204 records')
  })

  it('name the platform that has not responded instead of an estimate', () => {
    const waiting = { platform_title: 'Loans Office', since: at(4) }
    const progress = { waiting, records_received: 0 }
    assert.equal(
      progressLabel(testPull({ progress }), NOW),
      '40 % · waiting for Loans Office (8 s)',
    )
    assert.equal(waitingLabel('School', at(13), NOW), 'waiting for School (0 s)')
  })

  it('omit the expected number of records if it is unknown or exceeded', () => {
    const unknown = { records_total: null, records_expected: null, seconds_left: null }
    for (const progress of [unknown, { ...unknown, records_expected: 1000 }]) {
      assert.equal(progressLabel(testPull({ progress }), NOW), '40 % · 1,204 records stored')
    }
  })

  it('never claim that no records were received while a module is being read', () => {
    const none = { records_received: 0, seconds_left: null }
    assert.equal(progressLabel(testPull({ progress: none }), NOW), '40 %')
  })

  it('count the modules of a pull by state', () => {
    assert.equal(modulesLabel(testPull()), '1 failed, 1 running, 1 queued, 2 succeeded')
    const task_states = { succeeded: 1, timed_out: 1, failed: 1, cancelled: 3, skipped: 1 }
    assert.equal(
      modulesLabel(testPull({ progress: { task_states } })),
      '2 failed, 3 cancelled, 1 skipped, 1 succeeded',
    )
  })

  it('name the operator or the trigger that started a pull', () => {
    assert.equal(starterLabel(testPull()), 'by Ann Example')
    assert.match(
      alreadyRunningLabel(testPull(), NOW),
      /^A pull is already running: started by Ann Example at \d\d:\d\d [AP]M$/,
    )
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

  it('omit rare counts that are zero', () => {
    assert.deepEqual(
      shownCounts(testPull({ counts: { missing: 2 } }).counts).map(({ label }) => label),
      ['Received', 'New', 'Updated', 'Unchanged', 'Rejected', 'Missing', 'Not listed'],
    )
  })

  it('claim that nothing differed only after a comparison that has ended', () => {
    const labelOf = (over: Parameters<typeof testTask>[0]) => readModeLabel(testTask(over))
    const digest = { differing: 0, repaired: 0, explained: 4, requests: 1, bytes: 300 }
    const state = 'succeeded'
    assert.equal(labelOf({ state, digest }), 'nothing differed, 4 explained')
    // Buckets that list and digest disagree about are not read again, and not counted.
    const warnings = ['The list and the digest of the platform disagree.']
    assert.equal(labelOf({ state, digest, warnings }), 'nothing new differed, 4 explained')
    assert.equal(labelOf({ state: 'failed', digest }), '')
    assert.match(labelOf({ state, digest: { ...digest, requests: 0 } }), /^not compared/)
    const differing = { ...digest, differing: 2, repaired: 1, explained: 0 }
    assert.equal(labelOf({ state, digest: differing }), '2 buckets differed, 1 repaired')
    assert.match(labelOf({ state, full_because: 'too_different' }), /^read whole/)
    assert.equal(labelOf({ state, full_because: 'no_digest' }), '')
  })

  it('say how many records a pull did not contain', () => {
    const counts = { received: 480, not_listed: 321 }
    const label = '480 received · 321 not listed'
    const progress = { records_received: 480 }
    assert.equal(progressLabel(testPull({ finished_at: LATER, progress, counts }), NOW), label)
  })

  it('show a success with rejected or unlisted records in the color of what needs attention', () => {
    const none = { rejected: 0, not_listed: 0 }
    const label = pullStateLabel('succeeded', { rejected: 3, not_listed: 321 })
    assert.equal(label.label, 'Succeeded, 3 rejected, 321 not listed')
    assert.equal(label.color, pullStateLabel('partial', none).color)
    for (const state of ['succeeded', 'failed', 'cancelled', 'running']) {
      assert.notEqual(label.color, pullStateLabel(state, none).color, state)
    }
    assert.equal(pullStateLabel('timed_out', { ...none, rejected: 3 }).label, 'Timed out')
  })
})
