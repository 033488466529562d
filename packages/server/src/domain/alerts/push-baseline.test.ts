import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { BASELINE_HOURS, hourOf, hourText, PushBaselines } from './push-baseline.ts'

const WEEK = 168
/** A Monday, 00:00 UTC. */
const MONDAY = hourOf(new Date('2026-03-02T00:00:00Z'))
const isOfficeHour = (hour: number) => {
  const ofWeek = (hour - MONDAY) % WEEK
  const isWeekday = Math.floor(ofWeek / 24) < 5
  return isWeekday && ofWeek % 24 >= 8 && ofWeek % 24 < 18
}

/** Records the pushes of platform 1 from one hour up to and including another. */
function recordHours(from: number, to: number, pushesAt: (hour: number) => boolean): PushBaselines {
  const baselines = new PushBaselines()
  for (let hour = from; hour <= to; hour += 1) {
    baselines.record(hour, [{ platform_id: 1, pushes: pushesAt(hour) ? 3 : 0, rejected: 0 }])
  }
  return baselines
}

test('an hour has the form of the counters', () => {
  assert.equal(hourText(hourOf(new Date('2026-11-21T07:59:59.999Z'))), '2026-11-21T07')
})

test('a platform with office hours misses no pushes on a weekend, but does on Monday', () => {
  const nextMonday = MONDAY + 3 * WEEK
  const pushesAt = (hour: number) => isOfficeHour(hour) && hour < nextMonday - 48
  const onWeekend = recordHours(MONDAY, nextMonday + 8, pushesAt)
  const last = onWeekend.lastPush(1)
  assert.equal(last, nextMonday - 55)
  assert.equal(onWeekend.hoursMissed(1, (last ?? 0) + 1), 0)
  const onMonday = recordHours(MONDAY, nextMonday + 14, pushesAt)
  assert.equal(onMonday.hoursMissed(1, (last ?? 0) + 1), 6)
})

test('no push is expected in the first week or from a platform that never pushes', () => {
  const firstWeek = recordHours(MONDAY, MONDAY + WEEK - 1, (hour) => hour < MONDAY + 20)
  assert.equal(firstWeek.hoursMissed(1, MONDAY + 20), 0)
  const never = recordHours(MONDAY, MONDAY + 4 * WEEK, () => false)
  assert.equal(never.lastPush(1), null)
  assert.equal(never.hoursMissed(1, MONDAY), 0)
  assert.equal(new PushBaselines().hoursMissed(9, MONDAY), 0)
})

test('an hour counts by the share of weeks in which it had pushes', () => {
  const end = MONDAY + 3 * WEEK
  // On every second Monday at 10:00, and on every Monday at 11:00.
  const baselines = recordHours(MONDAY, end + 12, (hour) => {
    const ofWeek = (hour - MONDAY) % WEEK
    const week = Math.floor((hour - MONDAY) / WEEK)
    return hour < end && (ofWeek === 11 || (ofWeek === 10 && week % 2 === 0) || hour === MONDAY)
  })
  const close = (one: number, other: number) => assert.ok(Math.abs(one - other) < 1e-9)
  close(baselines.hoursMissed(1, end + 10), 2 / 3 + 1)
  close(baselines.hoursMissed(1, end + 11), 1)
})

test('only four weeks are stored, even if hours are skipped', () => {
  const hours = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(hours, (steps) => {
      const baselines = new PushBaselines()
      let hour = MONDAY
      let last = MONDAY
      for (const [index, step] of steps.entries()) {
        hour += step
        const pushes = index % 3
        baselines.record(hour, [{ platform_id: 1, pushes, rejected: 1 }])
        baselines.record(hour, [{ platform_id: 1, pushes, rejected: 1 }])
        if (pushes > 0) last = hour
        const known = baselines.lastPush(1)
        if (known !== null) assert.equal(known, last)
        else assert.ok(last === MONDAY || hour - last >= BASELINE_HOURS)
        const { recent, usual } = baselines.rejected(1)
        assert.equal(recent, step === 1 && index > 0 ? 2 : 1)
        assert.ok(usual >= 0 && usual <= 2)
      }
    }),
  )
})

test('recent rejections are compared with the usual number, which a rise changes only later', () => {
  const baselines = new PushBaselines()
  const recordHour = (hour: number, rejected: number) =>
    baselines.record(hour, [{ platform_id: 1, pushes: 1, rejected }])
  for (let hour = MONDAY; hour < MONDAY + 200; hour += 1) recordHour(hour, 3)
  assert.deepEqual(baselines.rejected(1), { recent: 6, usual: 6 })
  recordHour(MONDAY + 200, 500)
  recordHour(MONDAY + 201, 700)
  assert.deepEqual(baselines.rejected(1), { recent: 1200, usual: 6 })
  for (let hour = MONDAY + 202; hour < MONDAY + 230; hour += 1) recordHour(hour, 0)
  const { recent, usual } = baselines.rejected(1)
  assert.equal(recent, 0)
  assert.ok(usual > 6)
})
