/** PostgreSQL: a cursor in a transaction that only reads. */
import { Client, DatabaseError, type QueryArrayResult } from 'pg'
import { nextBatchSize } from '../batch-size.ts'
import { type Candidate, type Column, type Row, SourceAway, SourceFault } from '../source.ts'
import type { Connection, Database } from '../sql-source.ts'
import { originOf, type Statement } from '../statements.ts'
import { postgresDialect } from './dialect.ts'
import { kindOf } from './kinds.ts'

const CONNECT_MS = 10_000

/** Texts and times come the same whatever the server is set to, and a reader that went away is noticed. */
const PREPARE = `SELECT set_config(name, wanted.text, true) FROM pg_settings JOIN (VALUES
  ('TimeZone', 'UTC'), ('DateStyle', 'ISO'), ('IntervalStyle', 'iso_8601'), ('bytea_output', 'hex'),
  ('extra_float_digits', '1'), ('cursor_tuple_fraction', '1'), ('client_connection_check_interval', '10s')
) AS wanted (parameter, text) ON lower(name) = lower(parameter)`

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
    // Every value as the text that the server sends: exact, and never a Date.
    types: { getTypeParser: () => (text: string) => text },
  })
  // Whoever waits for an answer is told.
  client.on('error', () => undefined)
  // Where a query is under way this cuts the connection.
  const end = () => void client.end().catch(() => undefined)
  try {
    signal.throwIfAborted()
    await client.connect()
    signal.addEventListener('abort', end)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query(PREPARE)
  } catch (error) {
    end()
    throw new SourceAway(`PostgreSQL cannot be reached: ${wordsOf(error)}`)
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
  await ask(client, `DECLARE records NO SCROLL CURSOR FOR ${sql}`, parameters)
  let size = nextBatchSize(null)
  for (;;) {
    const { rows } = await ask(client, `FETCH ${size} FROM records`)
    yield* rows
    if (rows.length < size) return
    size = nextBatchSize(rows)
  }
}

async function ask(client: Client, text: string, values: string[] = []) {
  try {
    const asked = { text, values, rowMode: 'array' as const }
    const answer: QueryArrayResult<(string | null)[]> = await client.query(asked)
    return answer
  } catch (error) {
    throw translate(error)
  }
}

/** What the column of a table says of itself is found for columns of queries, too. */
const DESCRIBE = `
  SELECT asked.number, format_type(asked.type, NULL), type.typtype, type.typcategory, base.typname,
    attribute.attnotnull, col_description(asked.relation, asked.attribute)
  FROM unnest($1::oid[], $2::oid[], $3::int[]) WITH ORDINALITY
    AS asked (type, relation, attribute, number)
  JOIN pg_type AS type ON type.oid = asked.type
  LEFT JOIN pg_type AS base ON base.oid = coalesce(nullif(type.typbasetype, 0), type.oid)
  LEFT JOIN pg_attribute AS attribute
    ON attribute.attrelid = asked.relation AND attribute.attnum = asked.attribute
  ORDER BY asked.number`

async function describe(client: Client, sql: string): Promise<Column[]> {
  const { fields } = await ask(client, sql)
  const list = (numbers: number[]) => `{${numbers.join()}}`
  const { rows } = await ask(client, DESCRIBE, [
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

/** Classes of SQLSTATE that say nothing about the statement: connection, resources, operator. */
const PASSING = /^(?:08|53|57P)/

function translate(error: unknown): Error {
  const isOfStatement = error instanceof DatabaseError && !PASSING.test(error.code ?? '')
  if (isOfStatement) return new SourceFault(`PostgreSQL: ${error.message}`)
  return new SourceAway(`PostgreSQL went away: ${wordsOf(error)}`)
}

function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
