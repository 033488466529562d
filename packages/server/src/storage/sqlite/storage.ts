import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import type { HashReference } from '../../domain/record/erasure.ts'
import { nameDatabase, storageUnavailable } from '../../errors.ts'
import { makeFolder } from '../../lib/files/durable-files.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PullDispatcher, PullStore } from '../port/pull-store.ts'
import type { ThreadFigures } from '../port/statistics-store.ts'
import type { Storage, Upgrade } from '../port/storage.ts'
import { createMetricsStore } from '../shared/counters/statistics-store.ts'
import { createViewDefinitions } from '../shared/platforms/sql-views.ts'
import { type ChangePublisher, createChangePublisher } from '../shared/publish-commits.ts'
import { createReadThread, createRecordListStore } from '../shared/record-list/record-list-store.ts'
import { createRecordReads } from '../shared/records/record-rows.ts'
import { createDatabases, type Executor } from '../shared/schema/databases.ts'
import { assertMigrated, type Migrations, migrate } from '../shared/schema/migrate.ts'
import { createSearchIndexStore } from '../shared/search/search-index.ts'
import { createStores } from '../shared/stores.ts'
import { createBackupStore } from './backup.ts'
import { type Checkpointer, startCheckpointer } from './checkpointer.ts'
import { lockForProcess, openConnections, type SqliteConnections } from './connection.ts'
import {
  allocateSequence,
  containsIgnoringCase,
  createErasureDialect,
  createIncrementalVacuum,
  decisionRows,
  readCommitWatermark,
  readDiskSpace,
  readEngineInfo,
  readLogBytes,
  readVersion,
  selectByIds,
  viewDialect,
} from './dialect.ts'
import {
  assertChecked,
  beginUse,
  createFailureGuard,
  endUse,
  type FailureGuard,
} from './failure-guard.ts'
import { migrations as current } from './migrations/index.ts'
import { createMissingDialect } from './missing-marker.ts'
import {
  createFieldIndexDialect,
  createRecordListDialect,
  createUnchangedFinder,
} from './record-search.ts'
import { createRecordWriter } from './record-writer.ts'
import { type IndexFile, searchFileOf } from './search-file.ts'
import { createSearchReader } from './search-reader.ts'
import { createSearchThread, createSearchWithoutThread } from './text-index.ts'
import { prepareUpgrade } from './upgrade.ts'

/** The name of the counter rows. One process writes, so one set of rows is enough. */
const NODE = 'local'

export type SqliteOptions = {
  path: string
  /** Whether this process is the hub, of which there is at most one; the command line is not. */
  asHub: boolean
  timeZone: string
  clock: Clock
  /** Hashes the references of erased records, which are not stored. */
  hashReference: HashReference
  /**
   * Whether long reads, the text index and continuous checkpoints have threads of their own, as a hub needs; true by
   * default. What writes little only empties the log.
   */
  withThreads?: boolean
  /** Logs a warning for the administrator of the hub. */
  warn?: (message: string) => void
  /** See `openStorage`. */
  onFailure?: (message: string) => void
  /** How a hub prepares the migration of an older database; without it, the database is migrated at once. */
  upgrade?: Upgrade
  /** Tests add migrations to those of this version. */
  migrations?: Migrations
}

/**
 * Opens a database file. A hub creates or migrates it first if necessary.
 * @throws HubError `storage_unavailable` or `disk_full`, which name the file, if it cannot be used.
 * @throws HubError `database_damaged` or `database_unchecked`, as `beginUse` and `assertChecked`.
 * @throws HubError `no_database` or `older_schema` if a hub has to create or migrate the tables first.
 * @throws HubError `newer_schema` if a newer version of the hub has migrated the database.
 */
export async function openSqlite(options: SqliteOptions): Promise<Storage> {
  return withPathInErrors(options.path, () => open(options))
}

async function open(options: SqliteOptions): Promise<Storage> {
  const { withThreads = true, warn = () => undefined, onFailure = () => undefined } = options
  prepareFolder(dirname(options.path))
  const lock = options.asHub ? lockForProcess(options.path) : null
  const commits = createChangePublisher()
  let checkpointer: Checkpointer | null = null
  const guard = createFailureGuard(options.path, (message) => {
    checkpointer?.halt()
    onFailure(message)
  })
  const { publish } = commits
  const connections = await openMigrated(options, { guard, publish }).catch((error: unknown) => {
    lock?.release()
    throw error
  })
  if (options.asHub) {
    checkpointer = startCheckpointer(options.path, {
      onFailure: guard.fail,
      warn,
      isContinuous: withThreads,
    })
    // SQLite ignores the errors of the checkpoints that it makes after commits.
    connections.database.exec('PRAGMA wal_autocheckpoint = 0')
  }
  const { reader, writer, withoutFsync } = connections
  // The writing connection runs one transaction at a time, so no lock is needed.
  const acquireLock = async () => undefined
  const { clock } = options
  const databases = createDatabases({ reader, writer, withoutFsync, clock, acquireLock })
  const index = await findIndexFile(options.path, reader)
  const searchReader = createSearchReader(index, warn)
  const createSearch = withThreads ? createSearchThread : createSearchWithoutThread
  const search = createSearch(index, {
    reader: searchReader,
    readLastChange: () => readCommitWatermark(reader),
    warn,
  })
  const stores = createStores(databases, {
    authDatabase: { dialect: connections.writerDialect, type: 'sqlite' },
    node: NODE,
    readLastSequence: readCommitWatermark,
    allocatePositions: allocateSequence,
    readCommitWatermark,
    readVersion,
    selectByIds,
    decisionRows,
    missing: createMissingDialect(connections, NODE),
    reclaimSpace: createIncrementalVacuum(connections),
    containsIgnoringCase,
    erasure: createErasureDialect({
      hashReference: options.hashReference,
      // In the database file, `secure_delete` has overwritten the deleted bytes. The write-ahead log contains older
      // versions of pages.
      async purge() {
        await search.purge()
        await checkpointer?.emptyLog()
      },
    }),
  })
  stores.platforms.onChange(() => commits.publish('platforms'))
  const lists = createRecordListStore(databases, createRecordListDialect(searchReader))
  const readThread = withThreads
    ? createReadThread(new URL('./read-worker.ts', import.meta.url), {
        ...{ workerData: index, lists, warn },
      })
    : null
  const listThreads = (): ThreadFigures[] => [
    ...(readThread ? [readThread.figures()] : []),
    ...describeThread('search', search.thread),
    ...describeThread('checkpoint', checkpointer && { ...checkpointer, countRequests: () => 0 }),
  ]
  return {
    ...stores,
    processName: randomUUID(),
    records: {
      ...createRecordReads(databases),
      ...createUnchangedFinder(databases),
      ...createRecordWriter(connections, NODE, options.hashReference),
      ...lists,
      ...readThread?.lists,
    },
    searchIndex: createSearchIndexStore(databases, {
      texts: search,
      fields: createFieldIndexDialect(connections),
      readCommitWatermark,
    }),
    metricFigures: createMetricsStore(databases, async () => ({
      database_bytes: (await readEngineInfo(reader)).bytes,
      wal_bytes: await readLogBytes(options.path),
      threads: listThreads(),
    })),
    // Every connection would read all stored views again after each change of one.
    sqlViews: {
      defineViews: createViewDefinitions(reader, viewDialect),
      refreshViews: async () => [],
    },
    pullDispatcher: createPullDispatcher(stores.pulls),
    // There are no other processes.
    broadcast: {
      onCommit: commits.subscribe,
      publish: async () => undefined,
      subscribe: () => undefined,
    },
    backups: createBackupStore(options.path),
    readDurability: async () => null,
    updatePlannerStatistics: async () => undefined,
    readDiskSpace: () => readDiskSpace(dirname(options.path)),
    readEngine: () => readEngineInfo(reader),
    async close() {
      await readThread?.stop()
      await search.stop()
      searchReader.close()
      await checkpointer?.stop()
      await connections.close()
      // After a failure, only the end of the process releases the lock.
      if (guard.hasFailed()) return
      if (options.asHub) endUse(options.path)
      lock?.release()
    },
  }
}

function describeThread(
  thread: string,
  state: { isRunning: () => boolean; countRequests: () => number } | null,
): ThreadFigures[] {
  if (state === null) return []
  return [{ thread, is_running: state.isRunning(), requests: state.countRequests() }]
}

async function findIndexFile(databasePath: string, reader: Executor): Promise<IndexFile> {
  const { rows } = await sql<{ database_id: string }>`
    SELECT database_id FROM database_identity
  `.execute(reader)
  const path = searchFileOf(databasePath)
  return { path, databasePath, databaseId: rows[0]?.database_id ?? '' }
}

/** Adds the path to the message of an error at startup. */
async function withPathInErrors<Result>(
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw nameDatabase(error, path)
  }
}

function prepareFolder(path: string): void {
  try {
    makeFolder(path)
  } catch (cause) {
    throw storageUnavailable(cause)
  }
}

async function openMigrated(
  { path, asHub, upgrade, migrations = current, warn = () => undefined }: SqliteOptions,
  options: { guard: FailureGuard; publish: ChangePublisher['publish'] },
): Promise<SqliteConnections> {
  if (asHub) beginUse(path, warn)
  else assertChecked(path)
  if (asHub && upgrade) await prepareUpgrade(path, { migrations, upgrade })
  const connections = openConnections(path, options)
  try {
    if (asHub) await migrate(connections.writer, migrations)
    else await assertMigrated(connections.reader, migrations, path)
    return connections
  } catch (error) {
    await connections.close()
    if (asHub && !options.guard.hasFailed()) endUse(path)
    throw error
  }
}

/** Dispatches pulls within this process, the only one on the database. */
export function createPullDispatcher(pulls: Pick<PullStore, 'interruptPulls'>): PullDispatcher {
  let run: ((pullId: number) => Promise<void>) | null = null
  return {
    async start(runPull) {
      // There are no other processes, so an unfinished pull belongs to a process that has ended.
      await pulls.interruptPulls()
      run = runPull
    },
    async dispatch(pullId) {
      setImmediate(() => void run?.(pullId))
    },
    async stop() {
      run = null
    },
  }
}
