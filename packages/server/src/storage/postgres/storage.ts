import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { findDurabilityRisks } from '../../domain/alerts/alert.ts'
import type { HashReference } from '../../domain/record/erasure.ts'
import { HubError } from '../../errors.ts'
import { type Clock, systemClock } from '../../lib/time/clock.ts'
import type { Storage, Upgrade, UpgradeStep } from '../port/storage.ts'
import { BACKUP_SUFFIX } from '../shared/backup/backup-header.ts'
import { createMetricsStore } from '../shared/counters/statistics-store.ts'
import { createChangePublisher } from '../shared/publish-commits.ts'
import { createReadThread, createRecordListStore } from '../shared/record-list/record-list-store.ts'
import { createRecordReads } from '../shared/records/record-rows.ts'
import { createDatabases } from '../shared/schema/databases.ts'
import {
  assertMigrated,
  findUpgrade,
  isCurrent,
  type Migrations,
  migrate,
} from '../shared/schema/migrate.ts'
import type { Tables } from '../shared/schema/tables.ts'
import { createSearchIndexStore } from '../shared/search/search-index.ts'
import { createStores } from '../shared/stores.ts'
import { createBackupStore } from './backup.ts'
import { allocatePositions, readCommitWatermark, readLastSequence } from './commit-watermark.ts'
import {
  describeServer,
  openConnections,
  type PostgresConnections,
  withUnlimited,
} from './connection.ts'
import {
  analyzeGrownTables,
  containsIgnoringCase,
  createErasureDialect,
  decisionRows,
  readDurability,
  readEngineInfo,
  readVersion,
  selectByIds,
  startDatabaseClock,
} from './dialect.ts'
import { acquireLock, isOnlyProcess, isProcessDead, UPGRADE_LOCK } from './locks.ts'
import { toStartupError } from './map-error.ts'
import { migrations as current } from './migrations/index.ts'
import { createMissingDialect } from './missing-marker.ts'
import { openNotifications } from './notifications.ts'
import { createPullDispatcher } from './pull-dispatcher.ts'
import {
  createFieldIndexDialect,
  createRecordListDialect,
  createUnchangedFinder,
} from './record-search.ts'
import { createRecordWriter, pickCounterRow } from './record-writer.ts'
import { createSqlViews } from './sql-views.ts'
import { createSearchThread, createTextIndex } from './text-index.ts'
import { connectWhenUsable, type WaitOptions } from './wait-for-database.ts'

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
  /** Whether long reads have a thread of their own, as a hub needs; true by default. */
  withThreads?: boolean
  /** How long a call waits for a connection; 5 s by default. */
  connectTimeoutMs?: number
  /** The clock of the database by default. */
  clock?: Clock
  /** How a hub prepares the migration of an older database; without it, the database is migrated at once. */
  upgrade?: Upgrade
  /** Tests add migrations to those of this version. */
  migrations?: Migrations
}

/**
 * Opens a PostgreSQL database. A hub creates or migrates its tables first. Any number of hubs may use one database.
 * @throws HubError `database_rejected` or `storage_unavailable`, as `connectWhenUsable`; `no_database` if no hub of
 *   this version has created the tables and this process is not a hub.
 * @throws HubError `newer_schema` if a newer version of the hub has migrated the database.
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const connection = await connectWhenUsable(options.url, options.waiting, options.warn)
  const commits = createChangePublisher()
  const connections = openConnections(options.url, commits.publish, options.connectTimeoutMs)
  const ownClock = await prepare(connections, options).catch(async (error: unknown) => {
    await Promise.all([connections.close(), connection.end()])
    throw error
  })
  const processName = randomUUID()
  const notifications = await openNotifications(connection, { url: options.url, processName })
  const { database, dialect, withoutFsync } = connections
  const clock = options.clock ?? ownClock ?? systemClock
  const databases = createDatabases({
    ...{ reader: database, writer: database, withoutFsync, clock, acquireLock },
  })
  const node = pickCounterRow()
  const stores = createStores(databases, {
    authDatabase: { dialect, type: 'postgres' },
    node,
    readLastSequence,
    allocatePositions,
    readCommitWatermark,
    readVersion,
    selectByIds,
    decisionRows,
    missing: createMissingDialect(connections, node),
    // Autovacuum releases the space.
    reclaimSpace: async () => false,
    containsIgnoringCase,
    erasure: createErasureDialect(options.hashReference),
    platformChanges: notifications.platformChanges,
    isProcessDead,
    isOnlyProcess: (db) => isOnlyProcess(db, processName),
  })
  stores.platforms.onChange(() => commits.publish('platforms'))
  const lists = createRecordListStore(databases, createRecordListDialect(database))
  const { url, warn, withThreads = true } = options
  const readThread = withThreads
    ? createReadThread(new URL('./list-worker.ts', import.meta.url), {
        ...{ workerData: { url }, lists, warn },
      })
    : null
  const search = withThreads ? createSearchThread(databases, { url, warn }) : null
  return {
    ...stores,
    processName,
    records: {
      ...createRecordReads(databases),
      ...createUnchangedFinder(connections),
      ...createRecordWriter(connections, options.hashReference),
      ...lists,
      ...readThread?.lists,
    },
    searchIndex: createSearchIndexStore(databases, {
      texts: search?.texts ?? createTextIndex(databases),
      fields: createFieldIndexDialect(databases),
      readCommitWatermark,
    }),
    metricFigures: createMetricsStore(databases, async () => ({
      database_bytes: Number((await readEngineInfo(database)).bytes),
      wal_bytes: null,
      threads:
        readThread && search
          ? [
              readThread.figures(),
              {
                thread: 'search',
                is_running: search.thread.isRunning(),
                requests: search.thread.countRequests(),
              },
            ]
          : [],
    })),
    sqlViews: createSqlViews(databases),
    pullDispatcher: createPullDispatcher(connections, stores.pulls, options),
    broadcast: notifications.createBroadcast(database, commits),
    backups: createBackupStore(options.url),
    readDiskSpace: async () => null,
    readDurability: () => readDurability(database),
    updatePlannerStatistics: () => analyzeGrownTables(database),
    readEngine: () => readEngineInfo(database),
    async close() {
      await readThread?.stop()
      await search?.thread.stop()
      await ownClock?.stop()
      await notifications.close()
      await connections.close()
    },
  }
}

/** Makes the database usable. @returns the clock of the database, unless the options have one. */
async function prepare(connections: PostgresConnections, options: PostgresOptions) {
  await prepareSchema(connections.database, options).catch((error: unknown) => {
    throw toStartupError(error)
  })
  return options.clock ? null : startDatabaseClock(connections)
}

/** Creates or migrates the tables if necessary. Warns if the server can lose committed writes. */
async function prepareSchema(database: Kysely<Tables>, options: PostgresOptions): Promise<void> {
  const { url, asHub, migrations = current } = options
  if (!(await isCurrent(database, migrations))) {
    // Without time limits.
    await withUnlimited(url, (unlimited) => changeSchema(unlimited, options))
  }
  if (!asHub) return
  for (const { message, remedy } of findDurabilityRisks(await readDurability(database))) {
    options.warn(`${message} ${remedy}`)
  }
}

async function changeSchema(database: Kysely<Tables>, options: PostgresOptions): Promise<void> {
  const { url, asHub, upgrade, migrations = current } = options
  const { server, database: name } = describeServer(url)
  if (!asHub) return assertMigrated(database, migrations, `${server}/${name}`)
  if (upgrade && (await findUpgrade(database, migrations))) {
    // Of several nodes, one writes the backup and migrates. The end of the connection releases the lock.
    await sql`SELECT pg_advisory_lock(${sql.raw(UPGRADE_LOCK)})`.execute(database)
    await prepareUpgrade(await findUpgrade(database, migrations), upgrade)
  }
  await migrate(database, migrations)
}

/** Writes a backup if there is a way to do so. All migrations are one transaction, which the server rolls back if it fails. */
async function prepareUpgrade(step: UpgradeStep | null, { backup, log }: Upgrade): Promise<void> {
  if (!step) return
  log(`Upgrading the database: ${step.pending.join(', ')}.`)
  if (backup === null) {
    log('No backup is written before this upgrade, because HUB_UPGRADE_BACKUP is off.')
    return
  }
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '')
  const path = join(backup.folder, `before-${step.pending[0]}-${time}${BACKUP_SUFFIX}`)
  try {
    log(`Writing the backup ${path}.`)
    await backup.write(path)
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    log(`There is no automatic backup before this upgrade: ${error.message}`)
  }
}
