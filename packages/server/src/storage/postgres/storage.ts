import { randomUUID } from 'node:crypto'
import type { HashReference } from '../../domain/record/erasure.ts'
import { HubError } from '../../errors.ts'
import { type Clock, systemClock } from '../../lib/time/clock.ts'
import type { Storage } from '../port/storage.ts'
import { createMetricsStore } from '../shared/counters/metrics-store.ts'
import { createChangePublisher } from '../shared/publish-commits.ts'
import { createRecordListStore } from '../shared/record-list/record-list-store.ts'
import { createRecordReads } from '../shared/records/record-reads.ts'
import { isMigrated, migrate } from '../shared/schema/migrate.ts'
import { createSearchIndexStore } from '../shared/search/search-index.ts'
import { createStores } from '../shared/stores.ts'
import { createBackupStore } from './backup-store.ts'
import { allocatePositions, readCommitWatermark, readLastSequence } from './commit-watermark.ts'
import { describeServer, openConnections, withUnlimited } from './connection.ts'
import {
  containsIgnoringCase,
  createErasureDialect,
  readEngineInfo,
  readVersion,
  startDatabaseClock,
  viewDialect,
} from './dialect.ts'
import { createUnchangedFinder } from './find-unchanged.ts'
import { acquireLock, isOnlyProcess, isProcessDead } from './locks.ts'
import { toStartupError } from './map-error.ts'
import { migrations } from './migrations/index.ts'
import { createMissingDialect } from './missing-marker.ts'
import { openNotifications } from './notifications.ts'
import { createPullDispatcher } from './pull-dispatcher.ts'
import { createFieldIndexDialect, createRecordListDialect } from './record-search.ts'
import { createRecordWriter, pickCounterRow } from './record-writer.ts'
import { createTextIndex } from './text-index.ts'
import { type WaitOptions, waitForDatabase } from './wait-for-database.ts'

export type PostgresOptions = {
  /** `postgres://…` */
  url: string
  /** Whether this process is a hub, which creates and migrates the tables; the command line does not. */
  asHub: boolean
  timeZone: string
  waiting: WaitOptions
  /** Logs a warning for the administrator of the hub. */
  warn: (message: string) => void
  /** Hashes the references of erased records, which are not stored; the same on every node. */
  hashReference: HashReference
  /** The clock of the database by default. */
  clock?: Clock
}

/**
 * Opens a PostgreSQL database. A hub creates or migrates its tables first. Any number of hubs may use one database.
 * @throws HubError `database_rejected` or `storage_unavailable`, as `waitForDatabase`; `no_database` if no hub of
 *   this version has created the tables and this process is not a hub.
 * @throws HubError `newer_schema` if a newer version of the hub has migrated the database.
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  await waitForDatabase(options.url, options.waiting, options.warn)
  await prepareSchema(options)
  const commits = createChangePublisher()
  const connections = openConnections(options.url, commits.publish)
  const ownClock = options.clock
    ? null
    : await startDatabaseClock(connections).catch(async (error: unknown) => {
        await connections.close()
        throw error
      })
  const processName = randomUUID()
  const notifications = await openNotifications(options.url, processName)
  const { database, dialect, withoutFsync } = connections
  const clock = options.clock ?? ownClock ?? systemClock
  const databases = { reader: database, writer: database, withoutFsync, clock, acquireLock }
  const stores = createStores(databases, {
    authDatabase: { dialect, type: 'postgres' },
    node: pickCounterRow(),
    readLastSequence,
    allocatePositions,
    readCommitWatermark,
    readVersion,
    viewDialect,
    missing: createMissingDialect(connections),
    // Autovacuum releases the space.
    reclaimSpace: async () => false,
    containsIgnoringCase,
    erasure: createErasureDialect(options.hashReference),
    platformChanges: notifications.platformChanges,
    isProcessDead,
    isOnlyProcess: (db) => isOnlyProcess(db, processName),
  })
  stores.platforms.onChange(() => commits.publish('platforms'))
  return {
    ...stores,
    processName,
    records: {
      ...createRecordReads(databases),
      ...createUnchangedFinder(connections),
      ...createRecordWriter(connections, options.hashReference),
      ...createRecordListStore(databases, createRecordListDialect(database)),
    },
    searchIndex: createSearchIndexStore(databases, {
      texts: createTextIndex(databases),
      fields: createFieldIndexDialect(databases),
      readCommitWatermark,
    }),
    metrics: createMetricsStore(databases, async () => ({
      database_bytes: Number((await readEngineInfo(database)).bytes),
      wal_bytes: null,
      threads: [],
    })),
    pullDispatcher: createPullDispatcher(connections, stores.pulls, options),
    broadcast: notifications.createBroadcast(database, commits),
    backups: createBackupStore(options.url),
    readDiskSpace: async () => null,
    readEngine: () => readEngineInfo(database),
    async close() {
      await ownClock?.stop()
      await notifications.close()
      await connections.close()
    },
  }
}

/** Uses a connection without time limits, because a migration may take long. */
async function prepareSchema({ url, asHub }: PostgresOptions): Promise<void> {
  const { server, database: name } = describeServer(url)
  try {
    await withUnlimited(url, async (database) => {
      if (asHub) await migrate(database, migrations)
      else if (!(await isMigrated(database, migrations))) {
        throw new HubError('no_database', { path: `${server}/${name}` })
      }
    })
  } catch (error) {
    throw toStartupError(error)
  }
}
