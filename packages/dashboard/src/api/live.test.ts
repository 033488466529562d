import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptySnapshot, testPull, testTask } from '../lib/test-pulls.ts'
import { withPull } from './live.ts'

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
