import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HourOfStatistics } from '@recordhub/protocol'
import { fc } from '../../../../server/test/helpers/random/fast-check.ts'
import { axisTop, ofHour, spanOf, toBars } from './number-series.ts'

const hour = (at: number, over: Partial<HourOfStatistics> = {}): HourOfStatistics => ({
  at: new Date(3_600_000 * at).toISOString(),
  ...{ received_post: 0, received_patch: 0, received_pull: 0, created: 0, updated: 0 },
  ...{ rejected: 0, pulls: 0, pulls_failed: 0, platforms_added: 0, modules_added: 0 },
  ...over,
})

test('a bar adds up its hours, and the last one ends now', () => {
  const hours = [
    hour(0, { received_post: 1, received_patch: 2 }),
    hour(1, { received_pull: 4, pulls: 60, pulls_failed: 2 }),
    hour(2, { received_post: 8, rejected: 1 }),
  ]
  const bars = toBars(hours.map(ofHour), 2)
  assert.deepEqual(bars, [
    { at: hour(0).at, pushes: 3, rejected: 0, pulled: 0, pulls: 0, pulls_failed: 0 },
    { at: hour(1).at, pushes: 8, rejected: 1, pulled: 4, pulls: 60, pulls_failed: 2 },
  ])
  assert.deepEqual(spanOf(bars, 0), { since: hour(0).at, until: '1970-01-01T00:59:59.999Z' })
  assert.deepEqual(spanOf(bars, 1), { since: hour(1).at, until: '' })
})

test('the top of an axis is at least the largest value, at most twice and a half of it, and even', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 10_000_000 }), (largest) => {
      const top = axisTop(largest)
      assert.ok(top >= largest && top <= 2.5 * largest && top % 2 === 0)
    }),
  )
})
