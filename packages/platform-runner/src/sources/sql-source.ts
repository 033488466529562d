import type { Cell } from '../records/kind.ts'
import type { Origin } from '../settings/settings.ts'
import type { Dialect } from './dialect.ts'
import { digestStatement, supportsDigest } from './digest-statements.ts'
import type { Candidate, ChangedRow, Column, Row, Source } from './source.ts'
import {
  changesStatement,
  fromOf,
  newestStatement,
  rowsStatement,
  type Statement,
  shapeStatement,
  versionStatement,
} from './statements.ts'

/** A read-only connection that reads from one snapshot. */
export type Connection = {
  /** Streams the rows; only a few are in memory. */
  read: (statement: Statement) => AsyncIterable<Row>
  /** The columns of the result of a statement. */
  describe: (sql: string, origin: Origin) => Promise<Column[]>
  close: () => Promise<void>
}

export type Database = {
  title: string
  dialect: Dialect
  /** @param signal closes the connection, even during a query. */
  connect: (signal: AbortSignal) => Promise<Connection>
  candidates: (connection: Connection) => Promise<Candidate[]>
  warnings: (connection: Connection) => Promise<string[]>
}

/** The time limit of short queries. */
const TIMEOUT_MS = 120_000

export function createSqlSource(database: Database): Source {
  const { dialect } = database

  async function withConnection<Result>(use: (connection: Connection) => Promise<Result>) {
    const connection = await database.connect(AbortSignal.timeout(TIMEOUT_MS))
    try {
      return await use(connection)
    } finally {
      await connection.close()
    }
  }

  const readAll = (statement: Statement) =>
    withConnection(async (connection) => Array.fromAsync(connection.read(statement)))

  async function* rows(request: Parameters<Source['rows']>[0]): AsyncGenerator<Row> {
    const connection = await database.connect(request.signal)
    try {
      yield* connection.read(rowsStatement(request, dialect))
    } finally {
      await connection.close()
    }
  }

  return {
    title: database.title,
    candidates: () => withConnection(database.candidates),
    describe: (origin) =>
      withConnection((connection) => connection.describe(shapeStatement(origin, dialect), origin)),
    rows,
    async version(origin, columns) {
      if (!columns) return null
      const sql = versionStatement(origin, columns, dialect)
      const [row = []] = await readAll({ sql, parameters: [] })
      return row.map(String).join(' ')
    },
    changes: {
      async newest(origin, updatedAt) {
        const sql = newestStatement(origin, updatedAt, dialect)
        const [row] = await readAll({ sql, parameters: [] })
        return row ? String(row[0]) : null
      },
      async read(changes) {
        const found = await readAll(changesStatement(changes, dialect))
        return found.map((row) => toChangedRow(row, changes.key.length))
      },
    },
    digest: {
      supports: (columns) => supportsDigest(columns, dialect),
      async read(request) {
        const connection = await database.connect(request.signal)
        try {
          const statement = digestStatement(request, fromOf(request.origin, dialect), dialect)
          const rows = await Array.fromAsync(connection.read(statement))
          if (rows.some((row) => Number(row[3]) > 0)) return null
          return rows.map(([prefix, count, sum]) => [String(prefix), String(count), String(sum)])
        } finally {
          await connection.close()
        }
      },
    },
    warnings: () => withConnection(database.warnings),
  }
}

function toChangedRow([changeTime, ...rest]: Row, keys: number): ChangedRow {
  const key = rest.slice(0, keys).map((cell: Cell) => String(cell ?? ''))
  return { changeTime: String(changeTime), key: JSON.stringify(key), cells: rest.slice(keys) }
}
