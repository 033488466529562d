import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { listCutoffs, RETENTION_NOUNS } from './retention.ts'

const DAY_MS = 24 * 3600 * 1000

test('each kind is kept exactly so many days, and for ever where it is none', () => {
  const days = fc.record(
    Object.fromEntries(RETENTION_NOUNS.map((noun) => [noun, fc.integer({ min: 0, max: 36_500 })])),
  )
  fc.assert(
    fc.property(days, fc.date({ min: new Date(0), noInvalidDate: true }), (kept, now) => {
      fc.pre(now.getUTCFullYear() < 9000 && now.getUTCFullYear() > 2070)
      const known = {
        activity: 0,
        history: 0,
        pulls: 0,
        rejected_pushes: 0,
        missing_reviews: 0,
        alerts: 0,
        audit: 0,
        ...kept,
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
