import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import type { Databases } from '../shared/schema/databases.ts'
import type { Tables } from '../shared/schema/tables.ts'
import { translatingErrors } from './map-error.ts'

/**
 * The connections to one database file. One connection writes; whoever uses it takes it from
 * `writer`, which hands it out to one user at a time (Kysely's transactions, Better Auth's, and
 * {@link SqliteConnections.exclusively}), so that no two units of work mix.
 */
export type SqliteConnections = {
  writer: Kysely<Tables>
  reader: Kysely<Tables>
  /** Gives the writing connection to a Kysely of somebody else's, under the same queue. */
  writerDialect: Dialect
  /** The writing connection itself, for prepared statements of the hot path. */
  database: DatabaseSync
  /** As `Databases.lightly`. */
  lightly: Databases['lightly']
  /** Runs synchronous work on the writing connection while nobody else has it. */
  exclusively: <Result>(work: () => Result) => Promise<Result>
  close: () => Promise<void>
}

/** In `full` a commit waits for the disk; in `normal` the next checkpoint does. */
const SYNCHRONOUS = { full: 'PRAGMA synchronous = FULL', normal: 'PRAGMA synchronous = NORMAL' }
/** Every pragma of the hub. A new file needs the first one before its first table. */
const WRITER_PRAGMAS = [
  'PRAGMA auto_vacuum = INCREMENTAL',
  'PRAGMA journal_mode = WAL',
  SYNCHRONOUS.full,
  // What is deleted is overwritten: who is erased is not to be read from the file.
  'PRAGMA secure_delete = ON',
  'PRAGMA foreign_keys = ON',
  'PRAGMA cache_size = -65536',
  'PRAGMA temp_store = MEMORY',
]
const BUSY_TIMEOUT_MS = 5000

/**
 * Opens a database file, which is made where it is missing.
 * @throws HubError `storage_unavailable` where it cannot be opened or is no database.
 */
export function openConnections(path: string): SqliteConnections {
  return translatingErrors(() => {
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    for (const pragma of WRITER_PRAGMAS) database.exec(pragma)
    const writerDialect = new NodeSqliteDialect(database)
    const writer = new Kysely<Tables>({ dialect: writerDialect })
    const readDatabase = openReadOnly(path)
    const reader = new Kysely<Tables>({ dialect: new NodeSqliteDialect(readDatabase) })
    return {
      writer,
      reader,
      writerDialect,
      database,
      lightly: (work) =>
        writer.connection().execute(async (connection) => {
          database.exec(SYNCHRONOUS.normal)
          try {
            return await connection.transaction().execute(work)
          } finally {
            database.exec(SYNCHRONOUS.full)
          }
        }),
      exclusively: (work) => writer.connection().execute(async () => translatingErrors(work)),
      close: async () => {
        // Behind whatever waits for the connection already.
        await writer.connection().execute(async () => undefined)
        await reader.destroy()
        // Kysely does not close a database that no query has used, and the last connection to be closed
        // must be the one that can move the write-ahead log into the file.
        if (readDatabase.isOpen) readDatabase.close()
        await writer.destroy()
      },
    }
  })
}

/** A read-only connection for any thread. */
export function openReader(path: string): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new NodeSqliteDialect(openReadOnly(path)) })
}

function openReadOnly(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
  database.exec('PRAGMA cache_size = -16384')
  return database
}

/** Kysely's SQLite dialect over `node:sqlite`. Every Kysely on it shares one driver and its queue. */
class NodeSqliteDialect extends SqliteDialect {
  readonly #driver: SqliteDriver

  constructor(database: DatabaseSync) {
    const adapted = adaptDatabase(database)
    super({ database: adapted })
    this.#driver = new ImmediateDriver({ database: adapted })
  }

  override createDriver(): SqliteDriver {
    return this.#driver
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter()
  }
}

/**
 * A transaction that reads before it writes must hold the write lock from the start: another process
 * (the command line) that commits in between would make its first write fail.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** SQLite can undo a CREATE TABLE, so a migration that breaks half-way leaves nothing. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Preparing costs more than most of the hub's queries, and they come from a fixed set. */
const MAX_PREPARED = 500

function adaptDatabase(database: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>()
  return {
    prepare(sql) {
      const known = prepared.get(sql)
      if (known) return known
      const statement = adaptStatement(translatingErrors(() => database.prepare(sql)))
      if (prepared.size >= MAX_PREPARED) prepared.clear()
      prepared.set(sql, statement)
      return statement
    },
    close: () => database.close(),
  }
}

function adaptStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => translatingErrors(() => statement.all(...parameters.map(toInput))),
    run: (parameters) => translatingErrors(() => statement.run(...parameters.map(toInput))),
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
  throw new TypeError(`SQLite takes no ${typeof value}`)
}
