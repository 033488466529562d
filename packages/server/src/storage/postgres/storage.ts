import { sql } from 'kysely'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Storage } from '../port/storage.ts'
import type { Executor } from '../portable/databases.ts'
import { migrate } from '../portable/migrate.ts'
import { createRecordReads } from '../portable/record-reads.ts'
import { createStores } from '../portable/stores.ts'
import { awaitDatabase, type Waiting } from './await-database.ts'
import { openChangeChannel } from './change-channel.ts'
import { openConnections, withUnlimited } from './connection.ts'
import { startDatabaseClock } from './database-clock.ts'
import { hold } from './locks.ts'
import { NAME_INDEX_LENGTH } from './migrations/0001-foundation.ts'
import { migrations } from './migrations/index.ts'
import { createMissingParts } from './missing-marker.ts'
import { createPullDispatcher } from './pull-dispatcher.ts'
import { createRecordWriter, newNode } from './record-writer.ts'

export type PostgresOptions = {
  /** `postgres://…` */
  url: string
  timeZone: string
  waiting: Waiting
  /** Told what whoever runs the hub should read in its log. */
  warn: (message: string) => void
  /** The database's own where left out. */
  clock?: Clock
}

/**
 * Opens, and where need be fills or migrates, a database on PostgreSQL. Any number of hubs may be at
 * work on it.
 * @throws HubError `database_refused` or `storage_unavailable`, as `awaitDatabase`.
 * @throws Error where a newer version of the hub has migrated it further.
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  await awaitDatabase(options.url, options.waiting, options.warn)
  await migrateAlone(options.url)
  const connections = openConnections(options.url)
  const ownClock = options.clock
    ? null
    : await startDatabaseClock(connections).catch(async (error: unknown) => {
        await connections.close()
        throw error
      })
  const channel = openChangeChannel(options.url)
  const { database, dialect } = connections
  const clock = options.clock ?? ownClock ?? systemClock
  const databases = { reader: database, writer: database, clock, hold }
  return {
    ...createStores(databases, {
      authDatabase: { dialect, type: 'postgres' },
      node: newNode(),
      readMark,
      missing: createMissingParts(connections),
      channel,
    }),
    records: {
      ...createRecordReads(databases, NAME_INDEX_LENGTH),
      ...createRecordWriter(connections),
    },
    pullDispatcher: createPullDispatcher(connections, options),
    async close() {
      await ownClock?.stop()
      await channel.close()
      await connections.close()
    },
  }
}

/** On a connection of its own, without the limits of daily work: a migration may take its time. */
async function migrateAlone(url: string): Promise<void> {
  await withUnlimited(url, (database) => migrate(database, migrations))
}

async function readMark(db: Executor): Promise<number> {
  const { rows } = await sql<{ value: number }>`
    SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS value FROM write_sequence
  `.execute(db)
  return rows[0]?.value ?? 0
}
