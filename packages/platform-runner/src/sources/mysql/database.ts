/** MySQL and MariaDB: streams the result of a query. */
import { addAbortSignal } from 'node:stream'
import { createConnection, type Connection as Driver, type FieldPacket } from 'mysql2'
import type { Cell, Kind } from '../../records/kind.ts'
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
import { originOf, type Statement } from '../statements.ts'

const CONNECT_MS = 10_000
/** The hub may pause between reads while it stores records. */
const WRITE_SECONDS = 600

type Field = {
  type: string
  length: number
  string: (encoding?: string) => string | null
  buffer: () => Buffer | null
}

export function openMysql(address: string): Database {
  const url = new URL(address)
  url.protocol = 'mysql:'
  return {
    title: `MySQL at ${url.host}${url.pathname}`,
    dialect: mysqlDialect,
    connect: (signal) => connect(url.href, signal),
    candidates,
    warnings: async () => [],
  }
}

async function connect(uri: string, signal: AbortSignal): Promise<Connection> {
  const driver = createConnection({
    uri,
    connectTimeout: CONNECT_MS,
    charset: 'utf8mb4_unicode_ci',
    multipleStatements: false,
    typeCast,
  })
  // The pending query reports the error.
  driver.on('error', () => undefined)
  const destroy = () => driver.destroy()
  signal.addEventListener('abort', destroy)
  try {
    signal.throwIfAborted()
    await runQuery(driver, `SET time_zone = '+00:00', net_write_timeout = ${WRITE_SECONDS}`)
    await runQuery(driver, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    await runQuery(driver, 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
  } catch (error) {
    destroy()
    throw new SourceUnavailable(error instanceof Error ? error.message : String(error))
  }
  return {
    read: (statement) => read(driver, statement, signal),
    describe: (sql, origin) => describe(driver, sql, origin),
    async close() {
      signal.removeEventListener('abort', destroy)
      // Nothing was written, so the transaction needs no end.
      destroy()
    },
  }
}

async function* read(
  driver: Driver,
  { sql, parameters }: Statement,
  signal: AbortSignal,
): AsyncGenerator<Row> {
  for (const [index, value] of parameters.entries()) {
    await execute(driver, `SET ${mysqlDialect.parameter(index + 1)} = ?`, [value])
  }
  const rows = driver.query({ sql, rowsAsArray: true }).stream({ highWaterMark: 100 })
  // The driver does not end the stream when this process closes the connection.
  addAbortSignal(signal, rows)
  try {
    for await (const row of rows) yield row
  } catch (error) {
    throw mapError(error)
  }
}

/** Returns each value as the text that the server sends: exact, and never a Date. */
function typeCast(field: Field): Cell {
  if (field.type === 'BIT') {
    const bytes = field.buffer()
    return bytes && BigInt(`0x${bytes.toString('hex') || '0'}`)
  }
  if (field.type === 'GEOMETRY') return field.buffer()
  // JSON is always utf8, although its declared character set is binary.
  return field.type === 'JSON' ? field.string('utf8') : field.string()
}

async function describe(driver: Driver, sql: string, origin: Origin): Promise<Column[]> {
  const { fields } = await runQuery(driver, sql)
  const known = await describeTables(driver, fields)
  return fields.map((field) => {
    const described = known.get(JSON.stringify([field.schema, field.orgTable, field.orgName]))
    const kind = kindOf(field, described ?? null)
    return {
      name: field.name,
      kind,
      type: described?.type ?? kind,
      comment: described?.comment || null,
      // The result of a query may be null even if the column is not.
      required: origin.kind === 'table' && described?.isRequired === true,
    }
  })
}

/** The columns in the schema by schema, table and column name, for the columns of queries too. */
async function describeTables(
  driver: Driver,
  fields: FieldPacket[],
): Promise<Map<string, Described>> {
  const known = new Map<string, Described>()
  const { rows: server } = await runQuery(driver, "SELECT VERSION() LIKE '%MariaDB%'")
  const tables = new Set(fields.map((field) => JSON.stringify([field.schema, field.orgTable])))
  for (const table of tables) {
    const names: string[] = JSON.parse(table)
    const { rows } = await execute(driver, COLUMNS, names)
    const json = server[0]?.[0] === '1' ? await execute(driver, MARIADB_JSON, names) : { rows: [] }
    const isJson = new Set(json.rows.map(([column]) => column))
    for (const [schema, name, column, type, comment, isNullable] of rows) {
      known.set(JSON.stringify([schema, name, column]), {
        type: isJson.has(column) ? 'json' : String(type),
        comment: String(comment),
        isRequired: isNullable === 'NO',
      })
    }
  }
  return known
}

const COLUMNS = `
  SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, COLUMN_COMMENT, IS_NULLABLE
  FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`

/** MariaDB stores JSON as text with this check constraint, which has the name of the column. */
const MARIADB_JSON = `
  SELECT CONSTRAINT_NAME FROM information_schema.CHECK_CONSTRAINTS
  WHERE CONSTRAINT_SCHEMA = ? AND TABLE_NAME = ?
    AND CHECK_CLAUSE = CONCAT('json_valid(\`', CONSTRAINT_NAME, '\`)')`

const CANDIDATES = `
  SELECT t.TABLE_NAME, t.TABLE_COMMENT, t.TABLE_TYPE, (
    SELECT GROUP_CONCAT(k.COLUMN_NAME ORDER BY k.ORDINAL_POSITION SEPARATOR '\\n')
    FROM information_schema.KEY_COLUMN_USAGE AS k
    WHERE k.TABLE_SCHEMA = t.TABLE_SCHEMA AND k.TABLE_NAME = t.TABLE_NAME
      AND k.CONSTRAINT_NAME = 'PRIMARY')
  FROM information_schema.TABLES AS t WHERE t.TABLE_SCHEMA = DATABASE() ORDER BY t.TABLE_NAME`

async function candidates(connection: Connection): Promise<Candidate[]> {
  const rows = await Array.fromAsync(connection.read({ sql: CANDIDATES, parameters: [] }))
  return rows.map(([table, comment, type, key]) => ({
    origin: originOf([String(table)], mysqlDialect),
    name: String(table),
    // The comment of a view is always `VIEW`.
    comment: type === 'VIEW' || !comment ? null : String(comment),
    key: key ? String(key).split('\n') : [],
  }))
}

type QueryResult = { rows: unknown[][]; fields: FieldPacket[] }

function runQuery(driver: Driver, sql: string): Promise<QueryResult> {
  return toPromise((done) => driver.query({ sql, rowsAsArray: true }, done))
}

/** The values are sent separately from the statement. */
function execute(driver: Driver, sql: string, values: string[]): Promise<QueryResult> {
  return toPromise((done) => driver.execute({ sql, values, rowsAsArray: true }, done))
}

function toPromise(
  send: (done: (error: Error | null, rows: unknown, fields: FieldPacket[]) => void) => void,
): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    send((error, rows, fields) => {
      if (error) reject(mapError(error))
      else resolve({ rows: Array.isArray(rows) ? rows : [], fields: fields ?? [] })
    })
  })
}

/** A view refers to a missing table or column: a statement error despite its SQLSTATE. */
const BROKEN_VIEW = 1356

/** SQLSTATE classes 2 and 4 are statement errors; 08 is the connection, 70 and HY the server. */
function mapError(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error)
  const state = error instanceof Error && 'sqlState' in error ? String(error.sqlState) : ''
  const isBrokenView = error instanceof Error && 'errno' in error && error.errno === BROKEN_VIEW
  if (/^(?:2|4)/.test(state) || isBrokenView) return new SourceMisconfigured(`MySQL: ${message}`)
  return new SourceUnavailable(`MySQL cannot be reached: ${message}`)
}

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
const asText = (expression: string) => `CONVERT(CAST(${expression} AS CHAR) USING utf8mb4)`

/** The type to which a parameter is cast for a comparison with a column; null for texts. */
function castOf({ kind }: Column): string | null {
  if (kind === 'datetime' || kind === 'instant') return 'DATETIME(6)'
  if (kind === 'number') return 'DECIMAL(65,10)'
  return kind === 'date' ? 'DATE' : null
}

/** The text of other numbers, such as floats, differs between a result and an expression. */
const EXACT_NUMBER = /^(?:(?:tiny|small|medium|big)?int|decimal)/

const mysqlDialect: Dialect = {
  digest: {
    text: ({ name, kind, type }) => {
      const isNumber = kind === 'number' && EXACT_NUMBER.test(type)
      const isExact = isNumber && !type.includes('zerofill')
      const isSame = isExact || kind === 'text' || kind === 'datetime' || kind === 'instant'
      return isSame ? asText(quote(name)) : null
    },
    concat: (texts) => `CONCAT(${texts.join(', ')})`,
    md5: (text) => `MD5(${text})`,
    number: (hex) => `CAST(CONV(LEFT(${hex}, 12), 16, 10) AS UNSIGNED)`,
    separator: 'CHAR(31 USING utf8mb4)',
    parameterText: asText,
  },
  quote,
  // Variables, since the query of the owner may contain a `?`.
  parameter: (number) => `@recordhub_${number}`,
  value: ({ name }) => quote(name),
  contains: ({ name }, parameter) =>
    `${asText(quote(name))} COLLATE utf8mb4_unicode_ci LIKE ${parameter} ESCAPE '${ESCAPE}'`,
  key: ({ name }) => `${asText(quote(name))} COLLATE utf8mb4_bin`,
  changeTime: (column) =>
    castOf(column) ? quote(column.name) : `${asText(quote(column.name))} COLLATE utf8mb4_bin`,
  changeTimeText: ({ name }) => `CAST(${quote(name)} AS CHAR)`,
  changeTimeParameter: (parameter, column) => {
    const cast = castOf(column)
    return cast ? `CAST(${parameter} AS ${cast})` : `${asText(parameter)} COLLATE utf8mb4_bin`
  },
  latestChangeTime: ({ kind }) => {
    if (kind === 'instant') return 'NOW(6)'
    // The time zone of the writer is unknown; the easternmost is UTC+14, and the connection uses UTC.
    return kind === 'datetime' ? 'NOW(6) + INTERVAL 14 HOUR' : null
  },
  sum: (columns) =>
    `SUM(CRC32(CONCAT_WS(' ', ${columns.map(({ name }) => `CAST(${quote(name)} AS CHAR)`).join(', ')})))`,
}

/** A column in the schema; `type` as in `tinyint(1)`. */
export type Described = { type: string; comment: string; isRequired: boolean }

const KINDS: Record<number, Kind> = {
  0: 'number', // DECIMAL
  1: 'number', // TINY
  2: 'number', // SHORT
  3: 'number', // LONG
  4: 'number', // FLOAT
  5: 'number', // DOUBLE
  7: 'instant', // TIMESTAMP
  8: 'number', // LONGLONG
  9: 'number', // INT24
  10: 'date', // DATE
  12: 'datetime', // DATETIME
  13: 'number', // YEAR
  16: 'number', // BIT
  245: 'json', // JSON
  246: 'number', // NEWDECIMAL
  255: 'binary', // GEOMETRY
}
const TEXT_OR_BYTES = new Set([15, 249, 250, 251, 252, 253, 254])
/** The character set of binary columns. */
const BINARY = 63

/** Derives the kind from the type number of the protocol. `tinyint(1)` and `bit(1)` are booleans. */
export function kindOf(
  { columnType, characterSet }: FieldPacket,
  described: Described | null,
): Kind {
  if (described && /^(?:tinyint\(1\)|bit\(1\))/.test(described.type)) return 'boolean'
  if (described?.type === 'json') return 'json'
  if (columnType === undefined) return 'text'
  if (TEXT_OR_BYTES.has(columnType) && characterSet === BINARY) return 'binary'
  return KINDS[columnType] ?? 'text'
}
