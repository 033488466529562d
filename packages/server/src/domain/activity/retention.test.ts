import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { listCutoffs, MAX_ROWS_PER_STEP, nextStepLimit, RETENTION_NOUNS } from './retention.ts'

const DAY_MS = 24 * 3600 * 1000

test('each kind of data expires after its number of days, or never if that is 0', () => {
  const days = fc.record(
    Object.fromEntries(RETENTION_NOUNS.map((noun) => [noun, fc.integer({ min: 0, max: 36_500 })])),
  )
  const [min, max] = [new Date('2071-01-01'), new Date('8999-12-31')]
  const moment = fc.date({ min, max, noInvalidDate: true })
  fc.assert(
    fc.property(days, moment, (retentionDays, now) => {
      const known = {
        activity: 0,
        manifest_changes: 0,
        history: 0,
        pulls: 0,
        reverts: 0,
        rejected_pushes: 0,
        push_errors: 0,
        requests: 0,
        missing_reviews: 0,
        alerts: 0,
        counters: 0,
        audit: 0,
        ...retentionDays,
      }
      const cutoffs = new Map(listCutoffs(known, now).map(({ noun, before }) => [noun, before]))
      for (const noun of RETENTION_NOUNS) {
        const before = cutoffs.get(noun)
        if (known[noun] === 0) assert.equal(before, undefined)
        else assert.equal(now.getTime() - Date.parse(before ?? ''), known[noun] * DAY_MS)
      }
    }),
  )
})

test('deletion steps shrink when they are slow and grow again, within limits', () => {
  const stepsOf = (msPerRow: number) => {
    let limit = MAX_ROWS_PER_STEP
    for (let step = 1; step <= 20; step += 1) limit = nextStepLimit(limit, limit * msPerRow)
    return limit
  }
  assert.deepEqual([stepsOf(0), stepsOf(0.05), stepsOf(0.1), stepsOf(100)], [500, 200, 100, 20])
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 500 }),
      fc.float({ min: 0, noNaN: true }),
      (limit, ms) => {
        const next = nextStepLimit(limit, ms)
        assert.ok(Number.isInteger(next) && next >= 20 && next <= 500)
        assert.ok(next >= Math.floor(limit / 2) || next === 20)
      },
    ),
  )
})
