import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../../../server/test/helpers/random/fast-check.ts'
import { STARTED, testPull, testTask } from '../../lib/test-pulls.ts'
import { interpolatePull, interpolateTask } from './interpolate.ts'

const READ_AT = Date.parse(STARTED) + 10_000

describe('progress between two updates', () => {
  it('continues at the rate of the pull', () => {
    const { progress } = interpolatePull(testPull(), 5000)
    assert.deepEqual(
      [progress.records_received, progress.percent, progress.seconds_left],
      [1704, 56, 13],
    )
    assert.deepEqual(interpolatePull(testPull(), 0), testPull())
  })

  it('stops after one polling interval without an update', () => {
    const pull = testPull({ progress: { records_expected: 1_000_000 } })
    assert.deepEqual(interpolatePull(pull, 3_600_000), interpolatePull(pull, 10_000))
    assert.deepEqual(interpolatePull(pull, -5000), interpolatePull(pull, 0))
  })

  it('never decreases and never reaches the end', () => {
    fc.assert(
      fc.property(
        fc.nat(5000),
        fc.integer({ min: 1, max: 5000 }),
        fc.nat(2000),
        fc.nat(20_000),
        (done, expected, records_per_second, elapsed) => {
          const percent = Math.min(99, Math.floor((100 * done) / expected))
          const pull = testPull({
            progress: {
              records_done: done,
              records_received: done,
              records_expected: expected,
              records_per_second,
              percent,
            },
          })
          const now = interpolatePull(pull, elapsed).progress
          assert.ok((now.percent ?? 0) >= percent && (now.percent ?? 0) <= 99)
          assert.ok(now.records_received >= done)
          assert.ok(now.records_received <= Math.max(done, expected))
          assert.ok((now.seconds_left ?? 0) >= 1)
        },
      ),
    )
  })

  it('does not change a pull that has finished or has no rate', () => {
    const finished = testPull({ state: 'succeeded', finished_at: STARTED })
    assert.equal(interpolatePull(finished, 5000), finished)
    const queued = testPull({ progress: { records_per_second: null } })
    assert.equal(interpolatePull(queued, 5000), queued)
    const unknown = testPull({ progress: { records_expected: null, records_done: null } })
    assert.equal(interpolatePull(unknown, 5000).progress.percent, 40)
    assert.equal(interpolatePull(unknown, 5000).progress.seconds_left, 13)
  })

  it('continues a module at its own rate, up to the number of records that it expects', () => {
    const task = testTask({ received: 200, expected: 1000 })
    assert.equal(interpolateTask(task, READ_AT, 5000).received, 300)
    assert.equal(interpolateTask({ ...task, expected: 250 }, READ_AT, 5000).received, 249)
    assert.equal(interpolateTask({ ...task, expected: 150 }, READ_AT, 5000).received, 200)
    for (const over of [{ expected: null }, { started_at: null }, { finished_at: STARTED }]) {
      const same = { ...task, ...over }
      assert.equal(interpolateTask(same, READ_AT, 5000), same)
    }
    assert.equal(interpolateTask(task, Date.parse(STARTED), 5000), task)
  })
})
