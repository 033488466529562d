import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HourOfStatistics } from '@recordhub/protocol'
import { fc } from '../../../../server/test/helpers/random/fast-check.ts'
import { flowOf, levelOf, toBars } from './hour-series.ts'

const hour = (at: string, over: Partial<HourOfStatistics> = {}): HourOfStatistics => ({
  at,
  received_post: 0,
  received_patch: 0,
  received_pull: 0,
  created: 0,
  updated: 0,
  rejected: 0,
  platforms_added: 0,
  modules_added: 0,
  ...over,
})

describe('hourly statistics', () => {
  it('add up the received records of each hour', () => {
    const hours = [
      hour('2026-11-21T07:00:00.000Z', { received_post: 1, received_pull: 2 }),
      hour('2026-11-21T08:00:00.000Z'),
    ]
    assert.deepEqual(flowOf(hours, 'received_post', 'received_pull'), [3, 0])
    const inUtc = new Intl.DateTimeFormat('en-US', {
      hour: 'numeric',
      hour12: true,
      timeZone: 'UTC',
    })
    assert.deepEqual(toBars(hours, inUtc)[0], { hour: '7 AM', POST: 1, PATCH: 0, Pull: 2 })
  })

  it('count back from the current total and never fall below zero', () => {
    assert.deepEqual(levelOf(10, [1, 0, 4, 2]), [4, 4, 8, 10])
    assert.deepEqual(levelOf(3, [5, 5]), [0, 3])
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.nat(100)), (now, added) => {
        const levels = levelOf(now, added)
        assert.equal(levels.length, added.length)
        assert.ok(levels.every((level) => level >= 0))
        if (levels.length > 0) assert.equal(levels.at(-1), now)
      }),
    )
  })
})
