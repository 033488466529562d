/** A SQLite file, opened read-only. */
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { Kind } from '../../records/kind.ts'
import type { Origin } from '../../settings/settings.ts'
import { type Dialect, ESCAPE } from '../dialect.ts'
import {
  type Candidate,
  type Column,
  type Row,
  SourceMisconfigured,
  SourceUnavailable,
} from '../source.ts'
import type { Connection, Database } from '../sql-source.ts'
import { originOf, type Statement, splitTable } from '../statements.ts'

const BUSY_MS = 5000

export function openSqlite(path: string): Database {
  return {
    title: `SQLite in ${path}`,
    dialect: sqliteDialect,
    async connect() {
      return connect(path)
    },
    candidates,
    async warnings(connection) {
      const [mode] = await Array.fromAsync(
        connection.read({ sql: 'PRAGMA journal_mode', parameters: [] }),
      )
      if (mode?.[0] === 'wal') return []
      return [
        `${basename(path)} is not in WAL mode: programs that write must wait while the hub reads. Fix: PRAGMA journal_mode = WAL.`,
      ]
    },
  }
}

function connect(path: string): Connection {
  if (!existsSync(path)) throw new SourceUnavailable(`The file ${path} does not exist.`)
  const database = attempt(() => new DatabaseSync(path, { readOnly: true }))
  database.function(HASH, { deterministic: true }, (value) => crc32(String(value)))
  attempt(() => database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`))
  return {
    read: (statement) => read(database, statement),
    async describe(sql, origin) {
      return describe(database, sql, origin)
    },
    async close() {
      database.close()
    },
  }
}

async function* read(database: DatabaseSync, { sql, parameters }: Statement): AsyncGenerator<Row> {
  const rows = attempt(() => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    return statement.iterate(...parameters)
  })
  try {
    for (;;) {
      const next = attempt(() => rows.next())
      if (next.done) return
      // With `setReturnArrays`, a row is an array, unlike its type.
      const row: unknown = next.value
      if (!Array.isArray(row)) throw new Error('SQLite returned a row that is not an array.')
      const cells: SQLOutputValue[] = row
      yield cells
    }
  } finally {
    rows.return?.()
  }
}

function describe(database: DatabaseSync, sql: string, origin: Origin): Column[] {
  const required = origin.kind === 'table' ? requiredColumns(database, origin.table) : new Set()
  const columns = attempt(() => database.prepare(sql).columns())
  return columns.map(({ name, type }) => ({
    name,
    kind: kindOf(type ?? ''),
    type: type ?? '',
    comment: null,
    required: required.has(name),
  }))
}

function requiredColumns(database: DatabaseSync, table: string): Set<unknown> {
  const name = splitTable(table).at(-1) ?? ''
  const rows = attempt(() =>
    database.prepare('SELECT name FROM pragma_table_info(?) WHERE "notnull" OR pk').all(name),
  )
  return new Set(rows.map((row) => row['name']))
}

const CANDIDATES = `
  SELECT t.name, (SELECT group_concat(name, char(10)) FROM
    (SELECT name FROM pragma_table_info(t.name) WHERE pk > 0 ORDER BY pk))
  FROM pragma_table_list AS t
  WHERE t.schema = 'main' AND t.type <> 'shadow' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'
  ORDER BY t.name`

async function candidates(connection: Connection): Promise<Candidate[]> {
  const rows = await Array.fromAsync(connection.read({ sql: CANDIDATES, parameters: [] }))
  return rows.map(([name, key]) => ({
    origin: originOf([String(name)], sqliteDialect),
    name: String(name),
    comment: null,
    key: key ? String(key).split('\n') : [],
  }))
}

/** SQLITE_ERROR is about the statement; all other codes are about the file. */
const STATEMENT_ERROR = 1

function attempt<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isStatementError = 'errcode' in error && error.errcode === STATEMENT_ERROR
    if (isStatementError) throw new SourceMisconfigured(`SQLite: ${error.message}`)
    throw new SourceUnavailable(`SQLite: ${error.message}`)
  }
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
/** The prefix of numbers, which differ from equal texts. */
const NUMBER = 'n'

/** A function that each connection has, since SQLite has no hash function. */
const HASH = 'recordhub_hash'

const sqliteDialect: Dialect = {
  // Its functions run in this process, so a query would save nothing.
  digest: null,
  quote,
  parameter: (number) => `?${number}`,
  value: ({ name }) => quote(name),
  contains: ({ name }, parameter) =>
    `CAST(${quote(name)} AS TEXT) LIKE ${parameter} ESCAPE '${ESCAPE}'`,
  key: ({ name }) => `CAST(${quote(name)} AS TEXT) COLLATE BINARY`,
  changeTime: ({ name }) => quote(name),
  changeTimeText: ({ name }) =>
    `CASE typeof(${quote(name)}) WHEN 'text' THEN 't' ELSE '${NUMBER}' END || ${quote(name)}`,
  // The cast applies to numbers only, since affinity must not convert them to text.
  changeTimeParameter: (parameter) =>
    `(CASE substr(${parameter}, 1, 1) WHEN '${NUMBER}' THEN CAST(substr(${parameter}, 2) AS NUMERIC) ELSE substr(${parameter}, 2) END)`,
  // Numbers are ordered before texts.
  latestChangeTime: () => `strftime('%Y-%m-%d %H:%M:%S', 'now', '+14 hours')`,
  sum: (columns) =>
    `sum(${HASH}(${columns.map(({ name }) => `quote(${quote(name)})`).join(" || ' ' || ")}))`,
}

/** Derives the kind from the declared type, by SQLite's rules of type affinity. */
export function kindOf(declared: string): Kind {
  const type = declared.toUpperCase()
  if (type === '') return 'any'
  if (type.includes('BOOL')) return 'boolean'
  if (type.includes('JSON')) return 'json'
  if (type.includes('BLOB') || type.includes('BINARY')) return 'binary'
  if (type.includes('DATETIME') || type.includes('TIMESTAMP')) return 'datetime'
  if (type.includes('DATE')) return 'date'
  if (/CHAR|CLOB|TEXT/.test(type)) return 'text'
  return /INT|REAL|FLOA|DOUB|NUM|DEC/.test(type) ? 'number' : 'any'
}
