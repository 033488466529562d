/** PostgreSQL: reads with a cursor in a read-only transaction. */
import { Client, DatabaseError, type QueryArrayResult } from 'pg'
import type { Kind } from '../../records/kind.ts'
import { nextBatchSize } from '../batch-size.ts'
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

/** Makes the format of values independent of the settings of the server, and lets it notice a lost connection. */
const PREPARE = `SELECT set_config(name, desired.text, true) FROM pg_settings JOIN (VALUES
  ('TimeZone', 'UTC'), ('DateStyle', 'ISO'), ('IntervalStyle', 'iso_8601'), ('bytea_output', 'hex'),
  ('extra_float_digits', '1'), ('cursor_tuple_fraction', '1'), ('client_connection_check_interval', '10s')
) AS desired (parameter, text) ON lower(name) = lower(parameter)`

export function openPostgres(url: string): Database {
  const { host, pathname } = new URL(url)
  return {
    title: `PostgreSQL at ${host}${pathname}`,
    dialect: postgresDialect,
    connect: (signal) => connect(url, signal),
    candidates,
    warnings: async () => [],
  }
}

async function connect(url: string, signal: AbortSignal): Promise<Connection> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'recordhub-platform',
    // Each value as the text that the server sends: exact, and never a Date.
    types: { getTypeParser: () => (text: string) => text },
  })
  // The pending query reports the error.
  client.on('error', () => undefined)
  // During a query, this closes the connection.
  const end = () => void client.end().catch(() => undefined)
  try {
    signal.throwIfAborted()
    await client.connect()
    signal.addEventListener('abort', end)
    signal.throwIfAborted()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query(PREPARE)
  } catch (error) {
    end()
    throw new SourceUnavailable(`PostgreSQL cannot be reached: ${messageOf(error)}`)
  }
  return {
    read: (statement) => read(client, statement),
    describe: (sql) => describe(client, sql),
    async close() {
      signal.removeEventListener('abort', end)
      await client.end().catch(() => undefined)
    },
  }
}

async function* read(client: Client, { sql, parameters }: Statement): AsyncGenerator<Row> {
  await runQuery(client, `DECLARE records NO SCROLL CURSOR FOR ${sql}`, parameters)
  let size = nextBatchSize(null)
  for (;;) {
    const { rows } = await runQuery(client, `FETCH ${size} FROM records`)
    yield* rows
    if (rows.length < size) return
    size = nextBatchSize(rows)
  }
}

async function runQuery(client: Client, text: string, values: string[] = []) {
  try {
    const query = { text, values, rowMode: 'array' as const }
    const result: QueryArrayResult<(string | null)[]> = await client.query(query)
    return result
  } catch (error) {
    throw mapError(error)
  }
}

/** Finds comments and constraints for the columns of queries too. */
const DESCRIBE = `
  SELECT field.number, format_type(field.type, NULL), type.typtype, type.typcategory, base.typname,
    attribute.attnotnull, col_description(field.relation, field.attribute)
  FROM unnest($1::oid[], $2::oid[], $3::int[]) WITH ORDINALITY
    AS field (type, relation, attribute, number)
  JOIN pg_type AS type ON type.oid = field.type
  LEFT JOIN pg_type AS base ON base.oid = coalesce(nullif(type.typbasetype, 0), type.oid)
  LEFT JOIN pg_attribute AS attribute
    ON attribute.attrelid = field.relation AND attribute.attnum = field.attribute
  ORDER BY field.number`

async function describe(client: Client, sql: string): Promise<Column[]> {
  const { fields } = await runQuery(client, sql)
  const list = (numbers: number[]) => `{${numbers.join()}}`
  const { rows } = await runQuery(client, DESCRIBE, [
    list(fields.map((field) => field.dataTypeID)),
    list(fields.map((field) => field.tableID)),
    list(fields.map((field) => field.columnID)),
  ])
  return fields.map(({ name }, index) => {
    const [, type, group, category, base, isRequired, comment] = rows[index] ?? []
    const isJson = group === 'c' || category === 'A' || type === 'record'
    return {
      name,
      type: type ?? '',
      kind: isJson ? 'json' : kindOf(base ?? ''),
      comment: comment ?? null,
      required: isRequired === 't',
    }
  })
}

const CANDIDATES = `
  SELECT n.nspname, c.relname, obj_description(c.oid, 'pg_class'), coalesce((
    SELECT json_agg(a.attname ORDER BY array_position(i.indkey::smallint[], a.attnum))
    FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = c.oid AND i.indisprimary), '[]')
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
    AND has_table_privilege(c.oid, 'SELECT')
  ORDER BY n.nspname, c.relname`

async function candidates(connection: Connection): Promise<Candidate[]> {
  const rows = await Array.fromAsync(connection.read({ sql: CANDIDATES, parameters: [] }))
  return rows.map(([schema, name, comment, key]) => ({
    origin: originOf(schema === 'public' ? [`${name}`] : [`${schema}`, `${name}`], postgresDialect),
    name: String(name),
    comment: comment === null || comment === undefined ? null : String(comment),
    key: JSON.parse(String(key)),
  }))
}

/** Classes of SQLSTATE that are not about the statement: connection, resources, operator. */
const TRANSIENT = /^(?:08|53|57P)/

function mapError(error: unknown): Error {
  const isStatementError = error instanceof DatabaseError && !TRANSIENT.test(error.code ?? '')
  if (isStatementError) return new SourceMisconfigured(`PostgreSQL: ${error.message}`)
  return new SourceUnavailable(`The connection to PostgreSQL was lost: ${messageOf(error)}`)
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

const asText = ({ name }: Column) => `(${quote(name)})::text`

const postgresDialect: Dialect = {
  digest: {
    text: (column) => (column.kind === 'json' || column.kind === 'binary' ? null : asText(column)),
    concat: (texts) => texts.join(' || '),
    md5: (text) => `md5(convert_to(${text}, 'UTF8'))`,
    number: (hex) => `('x' || left(${hex}, 12))::bit(48)::bigint`,
    separator: 'chr(31)',
    parameterText: (parameter) => `${parameter}::text`,
  },
  quote,
  parameter: (number) => `$${number}`,
  // Arrays and rows are converted to JSON, since their text format is specific to PostgreSQL.
  value: (column) =>
    column.kind === 'json' && !/^jsonb?$/.test(column.type)
      ? `to_json(${quote(column.name)})::text`
      : asText(column),
  contains: (column, parameter) => `${asText(column)} ILIKE ${parameter}::text ESCAPE '${ESCAPE}'`,
  key: (column) => `${asText(column)} COLLATE "C"`,
  changeTime: ({ name }) => quote(name),
  changeTimeText: asText,
  changeTimeParameter: (parameter, { type }) => `${parameter}::text::${type}`,
  latestChangeTime: ({ kind }) => {
    if (kind === 'instant') return 'now()'
    // The time zone of the writer is unknown; the easternmost is UTC+14.
    return kind === 'datetime' ? `(now() AT TIME ZONE 'UTC' + interval '14 hours')` : null
  },
  sum: (columns) => `sum(hashtextextended(concat_ws(' ', ${columns.map(asText).join(', ')}), 0))`,
}

const KINDS: Record<string, Kind> = {
  int2: 'number',
  int4: 'number',
  int8: 'number',
  oid: 'number',
  float4: 'number',
  float8: 'number',
  numeric: 'number',
  bool: 'boolean',
  date: 'date',
  timestamp: 'datetime',
  timestamptz: 'instant',
  json: 'json',
  jsonb: 'json',
  bytea: 'binary',
}

/** Derives the kind from the name in `pg_type`; unknown types are sent as text. */
export function kindOf(name: string): Kind {
  return Object.hasOwn(KINDS, name) ? (KINDS[name] ?? 'text') : 'text'
}
