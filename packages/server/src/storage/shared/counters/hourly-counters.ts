import { type RawBuilder, sql } from 'kysely'
import { daysFrom } from '../../../lib/time/clock.ts'
import type { Executor } from '../schema/databases.ts'

/**
 * Selects the counters of a range of hours (`2026-11-21T07`, UTC), both ends included. The index starts with the hub's
 * local day, which is at most one day before or after the day in UTC.
 */
export function selectHours(db: Executor, from: string, to: string) {
  return db
    .selectFrom('hourly_counters')
    .where('day', '>=', adjacentDay(from, -1))
    .where('day', '<=', adjacentDay(to, 1))
    .where('hour', '>=', from)
    .where('hour', '<=', to)
}

/** The hour of a time column, as `toHour` of its value. */
export function hourOfColumn(column: 'created_at' | 'registered_at'): RawBuilder<string> {
  return sql<string>`substr(${sql.ref(column)}, 1, 13)`
}

function adjacentDay(hour: string, offset: number): string {
  return daysFrom(new Date(`${hour}:00:00.000Z`), offset).slice(0, 10)
}
