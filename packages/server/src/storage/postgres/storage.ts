import { randomUUID } from 'node:crypto'
import type { HashReference } from '../../domain/record/erasure.ts'
import { HubError } from '../../errors.ts'
import { type Clock, systemClock } from '../../lib/time/clock.ts'
import type { Storage } from '../port/storage.ts'
import { createRecordLists } from '../shared/record-list/record-lists.ts'
import { createRecordReads } from '../shared/records/record-reads.ts'
import { isMigrated, migrate } from '../shared/schema/migrate.ts'
import { createSearchIndexStore } from '../shared/search/search-index.ts'
import { createStores } from '../shared/stores.ts'
import { holdsLower } from './activity-search.ts'
import { openChangeChannel } from './change-channel.ts'
import { lastNumber, nextNumbers, settledSequence } from './commit-watermark.ts'
import { openConnections, placeOf, withUnlimited } from './connection.ts'
import { startDatabaseClock } from './database-clock.ts'
import { readEngine } from './engine-facts.ts'
import { createErasingParts } from './erasure-dialect.ts'
import { createElementRecogniser } from './find-unchanged.ts'
import { hold, isAlone, isGone } from './locks.ts'
import { toStartError } from './map-error.ts'
import { migrations } from './migrations/index.ts'
import { createMissingDialect } from './missing-marker.ts'
import { createPullDispatcher } from './pull-dispatcher.ts'
import { createListParts, createSearchIndexParts } from './record-search.ts'
import { createRecordWriter, pickCounterRow } from './record-writer.ts'
import { viewDialect } from './sql-views.ts'
import { awaitDatabase, type Waiting } from './wait-for-database.ts'

export type PostgresOptions = {
  /** `postgres://…` */
  url: string
  /** Whether this process is a hub, which makes and migrates the tables; the command line does not. */
  asHub: boolean
  timeZone: string
  waiting: Waiting
  /** Told what whoever runs the hub should read in its log. */
  warn: (message: string) => void
  /** Stands for the references of erased records, which are not kept; the same on every node. */
  hashReference: HashReference
  /** The database's own where left out. */
  clock?: Clock
}

/**
 * Opens a database on PostgreSQL, which a hub fills or migrates where need be. Any number of hubs may be
 * at work on it.
 * @throws HubError `database_refused` or `storage_unavailable`, as `awaitDatabase`; `no_database` where no
 *   hub of this version has filled it, unless this is one.
 * @throws Error where a newer version of the hub has migrated it further.
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  await awaitDatabase(options.url, options.waiting, options.warn)
  await prepareSchema(options)
  const connections = openConnections(options.url)
  const ownClock = options.clock
    ? null
    : await startDatabaseClock(connections).catch(async (error: unknown) => {
        await connections.close()
        throw error
      })
  const processName = randomUUID()
  const channel = await openChangeChannel(options.url, processName)
  const { database, dialect } = connections
  const clock = options.clock ?? ownClock ?? systemClock
  const { lightly } = connections
  const databases = { reader: database, writer: database, lightly, clock, hold }
  const stores = createStores(databases, {
    authDatabase: { dialect, type: 'postgres' },
    node: pickCounterRow(),
    readMark: lastNumber,
    drawPlaces: nextNumbers,
    settledSequence,
    viewDialect,
    missing: createMissingDialect(connections),
    // The server's own vacuum does.
    giveSpaceBack: async () => false,
    holdsLower,
    erasing: createErasingParts(options.hashReference),
    channel,
    isGone,
    isAlone: (db) => isAlone(db, processName),
  })
  return {
    ...stores,
    processName,
    records: {
      ...createRecordReads(databases),
      ...createElementRecogniser(databases),
      ...createRecordWriter(connections, options.hashReference),
      ...createRecordLists(databases, createListParts(database)),
    },
    searchIndex: createSearchIndexStore(databases, createSearchIndexParts(databases)),
    pullDispatcher: createPullDispatcher(connections, stores.pulls, options),
    news: channel.newsOver(database),
    readDiskSpace: async () => null,
    readEngine: () => readEngine(database),
    async close() {
      await ownClock?.stop()
      await channel.close()
      await connections.close()
    },
  }
}

/** On a connection of its own, without the limits of daily work: a migration may take its time. */
async function prepareSchema({ url, asHub }: PostgresOptions): Promise<void> {
  const { server, database: name } = placeOf(url)
  try {
    await withUnlimited(url, async (database) => {
      if (asHub) await migrate(database, migrations)
      else if (!(await isMigrated(database, migrations))) {
        throw new HubError('no_database', { path: `${server}/${name}` })
      }
    })
  } catch (error) {
    throw toStartError(error)
  }
}
