import { EMPTY_HOUR, type StatisticsStore, type StoredHour } from '../../port/statistics-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { hourOfColumn, selectHours } from './hourly-counters.ts'

export function createStatisticsStore({ reader }: Databases): StatisticsStore {
  return {
    async readHours(from, to) {
      const hours = new Map<string, StoredHour>()
      const hourOf = (hour: string) => {
        const known = hours.get(hour) ?? { hour, ...EMPTY_HOUR }
        hours.set(hour, known)
        return known
      }
      for (const { hour, ...counts } of await readCounts(reader, from, to)) {
        Object.assign(hourOf(hour), counts)
      }
      for (const { hour, n } of await countPlatforms(reader, from, to)) {
        hourOf(hour).platforms_added = Number(n)
      }
      for (const { hour, n } of await countModules(reader, from, to)) {
        hourOf(hour).modules_added = Number(n)
      }
      return [...hours.values()]
    },
  }
}

async function readCounts(db: Executor, from: string, to: string) {
  const rows = await selectHours(db, from, to)
    .select((eb) => [
      'hour',
      eb.fn.sum<number>('received_post').as('received_post'),
      eb.fn.sum<number>('received_patch').as('received_patch'),
      eb.fn.sum<number>('received_pull').as('received_pull'),
      eb.fn.sum<number>('created').as('created'),
      eb.fn.sum<number>('updated').as('updated'),
      eb.fn.sum<number>('rejected').as('rejected'),
    ])
    .groupBy('hour')
    .execute()
  return rows.map((row) => ({
    hour: row.hour,
    received_post: Number(row.received_post),
    received_patch: Number(row.received_patch),
    received_pull: Number(row.received_pull),
    created: Number(row.created),
    updated: Number(row.updated),
    rejected: Number(row.rejected),
  }))
}

/** Returns an upper bound for all times of an hour: `~` sorts after every character of a time. */
const endOf = (hour: string) => `${hour}:~`

function countPlatforms(db: Executor, from: string, to: string) {
  const hour = hourOfColumn('created_at')
  return db
    .selectFrom('platforms')
    .select((eb) => [hour.as('hour'), eb.fn.countAll<number>().as('n')])
    .where('removed_at', 'is', null)
    .where('created_at', '>=', from)
    .where('created_at', '<', endOf(to))
    .groupBy(hour)
    .execute()
}

function countModules(db: Executor, from: string, to: string) {
  const hour = hourOfColumn('registered_at')
  return db
    .selectFrom('modules')
    .select((eb) => [hour.as('hour'), eb.fn.countAll<number>().as('n')])
    .where('registered_at', '>=', from)
    .where('registered_at', '<', endOf(to))
    .groupBy(hour)
    .execute()
}
