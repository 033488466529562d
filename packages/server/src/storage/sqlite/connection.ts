import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import { HubError } from '../../errors.ts'
import { type ChangePublisher, publishCommits } from '../shared/publish-commits.ts'
import type { Databases } from '../shared/schema/databases.ts'
import type { Tables } from '../shared/schema/tables.ts'
import { BUSY_TIMEOUT_MS, beginImmediate } from './begin-immediate.ts'
import { createFailureGuard, type FailureGuard } from './failure-guard.ts'
import { isBusy, withMappedErrors } from './map-error.ts'

/**
 * The connections to one database file. One connection writes. The queue of `writer` gives it to one unit of work at a
 * time: a transaction of Kysely or Better Auth, or work of `withWriteLock`.
 */
export type SqliteConnections = {
  writer: Kysely<Tables>
  reader: Kysely<Tables>
  /** For another Kysely instance on the writing connection, through the same queue. */
  writerDialect: Dialect
  /** The writing connection itself, for the prepared statements of the hot path. Use it within `withWriteLock`. */
  database: DatabaseSync
  /** As `Databases.withoutFsync`. */
  withoutFsync: Databases['withoutFsync']
  /** Everything that uses these connections runs through it. */
  guard: FailureGuard
  /** Runs synchronous work on the writing connection while no other work uses it. */
  withWriteLock: <Result>(work: () => Result) => Promise<Result>
  /** Publishes a change that was committed on `database` rather than through Kysely. */
  publish: ChangePublisher['publish']
  close: () => Promise<void>
}

/** With `full` each commit syncs the log; with `normal` only a checkpoint does. */
const SYNCHRONOUS = { full: 'PRAGMA synchronous = FULL', normal: 'PRAGMA synchronous = NORMAL' }
/** Every pragma of the writing connection. `auto_vacuum` must be set before the first table is created. */
const WRITER_PRAGMAS = [
  'PRAGMA auto_vacuum = INCREMENTAL',
  'PRAGMA journal_mode = WAL',
  SYNCHRONOUS.full,
  // Overwrites deleted bytes, so that erased data cannot be read from the file.
  'PRAGMA secure_delete = ON',
  'PRAGMA foreign_keys = ON',
  // In kilobytes. With 64 MB, a pull takes as much processor time: the system caches the file as well.
  'PRAGMA cache_size = -8192',
  'PRAGMA temp_store = MEMORY',
]

/** The connections of databases that have failed; see `close`. */
const abandoned: DatabaseSync[] = []

type ConnectionsOptions = {
  /** Receives the reason of each committed change. */
  publish?: ChangePublisher['publish']
  guard?: FailureGuard
}

/**
 * Opens a database file; creates it if it does not exist.
 * @throws HubError `storage_unavailable` if the file cannot be opened or is not a database.
 */
export function openConnections(path: string, options: ConnectionsOptions = {}): SqliteConnections {
  const { publish = () => undefined, guard = createFailureGuard(path, () => undefined) } = options
  return withMappedErrors(() => {
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    for (const pragma of WRITER_PRAGMAS) database.exec(pragma)
    const writerDialect = new NodeSqliteDialect(database, { run: guard.run, publish })
    const writer = new Kysely<Tables>({ dialect: writerDialect })
    const readDatabase = openReadOnly(path)
    const reader = new Kysely<Tables>({
      dialect: new NodeSqliteDialect(readDatabase, { run: guard.read }),
    })
    return {
      writer,
      reader,
      writerDialect,
      database,
      guard,
      publish,
      withoutFsync: (work) =>
        writer.connection().execute(async (connection) => {
          guard.run(() => database.exec(SYNCHRONOUS.normal))
          try {
            return await connection.transaction().execute(work)
          } catch (error) {
            // Prepared statements of `work` are not guarded.
            return guard.run(() => {
              throw error
            })
          } finally {
            if (!guard.hasFailed()) database.exec(SYNCHRONOUS.full)
          }
        }),
      withWriteLock: (work) => writer.connection().execute(async () => guard.run(work)),
      close: async () => {
        // Waits for all earlier work on the connection.
        await writer.connection().execute(async () => undefined)
        // Closing the last connection would ignore the errors of its checkpoint.
        try {
          guard.run(() => database.exec('PRAGMA wal_checkpoint(PASSIVE)'))
        } catch {
          // After a failure, see below. On a full disk, the pages stay in the log.
        }
        if (guard.hasFailed()) {
          // After a failure nothing is written, but closing, also by the garbage collector, writes a checkpoint.
          abandoned.push(database, readDatabase)
          return
        }
        await reader.destroy()
        // Kysely does not close a database that no query has used. The writing connection must be closed last,
        // because it moves the write-ahead log into the file.
        if (readDatabase.isOpen) readDatabase.close()
        await writer.destroy()
      },
    }
  })
}

/** Opens a read-only connection, in any thread. */
export function openReader(path: string): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new NodeSqliteDialect(openReadOnly(path)) })
}

/** As `openReader`, but does not read the file yet, which may be damaged. */
export function openUncheckedReader(path: string): Kysely<Tables> {
  const database = withMappedErrors(() => openFile(path))
  return new Kysely<Tables>({ dialect: new NodeSqliteDialect(database) })
}

function openFile(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
}

function openReadOnly(path: string): DatabaseSync {
  const database = openFile(path)
  database.exec('PRAGMA cache_size = -4096')
  return database
}

/** Runs an action on a connection, and maps its errors. */
type RunAction = <Result>(action: () => Result) => Result

/** Kysely's SQLite dialect over `node:sqlite`. All Kysely instances with this dialect share one driver and its queue. */
class NodeSqliteDialect extends SqliteDialect {
  readonly #driver: Driver

  constructor(
    database: DatabaseSync,
    {
      run = withMappedErrors,
      publish = () => undefined,
    }: { run?: RunAction; publish?: ChangePublisher['publish'] } = {},
  ) {
    const adapted = adaptDatabase(database, run)
    super({ database: adapted })
    this.#driver = publishCommits(new ExclusiveDriver(database, adapted, run), publish)
  }

  override createDriver(): Driver {
    return this.#driver
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter()
  }
}

/**
 * A driver with one connection, which queries and transactions wait for in one queue. Kysely's own queue is per instance:
 * with it, a query could run inside the transaction of another instance.
 *
 * Every transaction begins with the write lock: a transaction that reads first would fail at its first write if
 * another process (the command line) had committed in between.
 */
class ExclusiveDriver extends SqliteDriver {
  readonly #database: DatabaseSync
  readonly #run: RunAction
  /** Resolves when the last queued work releases the connection. */
  #lastRelease: Promise<void> = Promise.resolve()
  #release: () => void = () => undefined

  constructor(database: DatabaseSync, adapted: SqliteDatabase, run: RunAction) {
    super({ database: adapted })
    this.#database = database
    this.#run = run
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const previous = this.#lastRelease
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#lastRelease = promise
    await previous
    this.#release = resolve
    return super.acquireConnection()
  }

  override async releaseConnection(): Promise<void> {
    this.#release()
  }

  override async beginTransaction(): Promise<void> {
    this.#run(() => beginImmediate(this.#database))
  }

  /** After some errors, such as a full disk, SQLite has rolled the transaction back: a rollback would hide that error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** SQLite can roll back CREATE TABLE, so a migration that fails leaves nothing behind. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Maximum number of cached statements. Preparing one takes longer than running most of the hub's queries. */
const MAX_PREPARED = 500

function adaptDatabase(database: DatabaseSync, run: RunAction): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>()
  return {
    prepare(sql) {
      const known = prepared.get(sql)
      if (known) return known
      const statement = adaptStatement(
        run(() => database.prepare(sql)),
        run,
      )
      if (prepared.size >= MAX_PREPARED) prepared.clear()
      prepared.set(sql, statement)
      return statement
    },
    close: () => database.close(),
  }
}

function adaptStatement(statement: StatementSync, run: RunAction): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => run(() => statement.all(...parameters.map(toInput))),
    run: (parameters) => run(() => statement.run(...parameters.map(toInput))),
    iterate: (parameters) => statement.iterate(...parameters.map(toInput)),
  }
}

function toInput(value: unknown): SQLInputValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite does not accept a parameter of type ${typeof value}`)
}

/** The lock is held until it is released or the process ends, for whatever reason. */
export type ProcessLock = { release: () => void }

/**
 * Ensures that one hub at a time uses a database. The lock is SQLite's own, on a file beside the database. The
 * operating system releases it when the process ends, so it cannot become stale.
 * @throws HubError `data_folder_in_use` if another hub holds the lock, `storage_unavailable` if the file cannot be
 *   used.
 */
export function lockForProcess(databasePath: string): ProcessLock {
  const database = withMappedErrors(() => new DatabaseSync(`${databasePath}.lock`))
  try {
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch (cause) {
    database.close()
    if (isBusy(cause)) throw new HubError('data_folder_in_use', { path: databasePath }, { cause })
    return withMappedErrors(() => {
      throw cause
    })
  }
}
