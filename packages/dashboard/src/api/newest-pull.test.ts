import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptySnapshot, STARTED, testPull, testTask } from '../lib/test-pulls.ts'
import { newestPull, newestTask, withPull, withPullEvent } from './newest-pull.ts'

const ended = testPull({ state: 'succeeded', finished_at: STARTED })
const progress = (records_received: number) => testPull({ progress: { records_received } })

describe('a snapshot with the pull of an action', () => {
  it('shows a started pull as the running one, without the modules of the pull before', () => {
    const before = { ...emptySnapshot, pull: { ...emptySnapshot.pull, tasks: [testTask()] } }
    const { pull } = withPull(before, testPull({ id: 8, finished_at: null }))
    assert.deepEqual([pull.running, pull.pull?.id, pull.tasks], [true, 8, []])
  })

  it('shows a cancelled pull as the last one, with its modules', () => {
    const running = withPull(emptySnapshot, testPull({ finished_at: null }))
    const before = { ...running, pull: { ...running.pull, tasks: [testTask()] } }
    const finished_at = '2026-11-21T07:30:09.000Z'
    const { pull } = withPull(before, testPull({ state: 'cancelled', finished_at }))
    assert.deepEqual([pull.running, pull.pull, pull.last?.state], [false, null, 'cancelled'])
    assert.equal(pull.tasks.length, 1)
  })
})

describe('the newest state of a pull', () => {
  it('is the one with more progress, whichever arrives last', () => {
    const states = [
      testPull({ started_at: null, progress: { tasks_done: 0, records_received: 0 } }),
      testPull({ progress: { tasks_done: 0, records_received: 0 } }),
      progress(10),
      progress(11),
      testPull({ progress: { tasks_done: 4, records_received: 11 } }),
      ended,
      testPull({ id: 8, started_at: null }),
    ]
    for (const [index, later] of states.entries()) {
      for (const earlier of states.slice(0, index)) {
        assert.deepEqual([newestPull(later, earlier), newestPull(earlier, later)], [later, later])
      }
    }
  })

  it('is that of an event, unless a later one is shown', () => {
    const event = { ...emptySnapshot.pull, running: true, pull: progress(20), tasks: [testTask()] }
    const before = withPull(emptySnapshot, progress(10))
    const after = withPullEvent(before, event)
    assert.deepEqual([after.pull, after.latest_sync], [event, null])
    const later = withPull(emptySnapshot, ended)
    assert.equal(withPullEvent(later, event), later)
    const end = withPullEvent(after, { ...emptySnapshot.pull, last: ended })
    assert.deepEqual([end.pull.running, end.latest_sync?.state], [false, 'succeeded'])
    assert.equal(withPull(end, progress(10)), end)
  })

  it('is found for each task', () => {
    const received = testTask({ received: 5 })
    const finished = testTask({ received: 5, state: 'succeeded', finished_at: STARTED })
    assert.equal(newestTask(testTask(), received), received)
    assert.equal(newestTask(finished, received), finished)
  })
})
