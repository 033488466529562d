import { daysFrom } from '../../../lib/time/clock.ts'
import type { Executor } from '../schema/databases.ts'

/**
 * The counters of the hours from one up to and with another (`2026-11-21T07`, UTC). They are found by the hub's
 * day, which is that of UTC or one beside it.
 */
export function selectHours(db: Executor, from: string, to: string) {
  return db
    .selectFrom('hourly_counters')
    .where('day', '>=', dayBeside(from, -1))
    .where('day', '<=', dayBeside(to, 1))
    .where('hour', '>=', from)
    .where('hour', '<=', to)
}

function dayBeside(hour: string, offset: number): string {
  return daysFrom(new Date(`${hour}:00:00.000Z`), offset).slice(0, 10)
}
