/**
 * The payload of a backup on PostgreSQL: a line with the name of a table, then a line of JSON for each of its rows. The
 * last section, `SEQUENCES`, contains the sequences.
 */
import { type Kysely, sql } from 'kysely'
import { HubError } from '../../errors.ts'
import { quoteName } from '../shared/platforms/sql-views.ts'
import { integerOf, type Row, textOf } from '../shared/schema/databases.ts'
import { NOT_BACKED_UP, TABLE_NAMES, type Tables } from '../shared/schema/tables.ts'

export const SEQUENCES = '@sequences'
/** Rows per FETCH. */
const FETCH_ROWS = 200
/** Larger rows are fetched one by one: an element may have 16 MiB. */
const MAX_FETCHED_BYTES = 16_384
const CURSOR = 'recordhub_backup'

type Connection = Kysely<Tables>

/** The tables of the connection's schema, which an older version may have created without those of later migrations. */
async function listAllTables(db: Connection): Promise<string[]> {
  const { rows } = await sql
    .raw<Row>('SELECT tablename FROM pg_tables WHERE schemaname = current_schema()')
    .execute(db)
  const existing = new Set(rows.map((row) => textOf(row, 'tablename')))
  return TABLE_NAMES.filter((name) => existing.has(name))
}

/** The tables of `listAllTables` that backups contain. */
async function listTables(db: Connection): Promise<string[]> {
  return (await listAllTables(db)).filter((name) => !NOT_BACKED_UP.includes(name))
}

/** Reads rows of the transaction's snapshot, in parts of a few megabytes unless one row is larger. */
export async function* readRows(db: Connection): AsyncGenerator<Buffer> {
  for (const table of await listTables(db)) {
    yield Buffer.from(`${table}\n`)
    yield* fetchRows(db, table)
  }
  yield Buffer.from(`${SEQUENCES}\n`)
  const { rows } = await sql<{ row: string }>`
    SELECT json_build_object('name', sequencename, 'last_value', last_value)::text AS row
    FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL
  `.execute(db)
  yield* toLines(rows)
}

async function* fetchRows(db: Connection, table: string): AsyncGenerator<Buffer> {
  const name = quoteName(table)
  // OFFSET 0: the text of a row is made once.
  await sql
    .raw(`DECLARE ${CURSOR} NO SCROLL CURSOR FOR
      SELECT CASE WHEN is_large THEN ctid::text END AS large, CASE WHEN NOT is_large THEN row END AS row
      FROM (SELECT ctid, row, octet_length(row) > ${MAX_FETCHED_BYTES} AS is_large
        FROM (SELECT ctid, row_to_json(t)::text AS row FROM ${name} t OFFSET 0) texts) sized`)
    .execute(db)
  for (;;) {
    const { rows } = await sql.raw<Fetched>(`FETCH ${FETCH_ROWS} FROM ${CURSOR}`).execute(db)
    yield* toLines(rows.filter((row) => row.large === null))
    for (const { large } of rows) {
      if (large === null) continue
      const found = await sql<{ row: string }>`
        SELECT row_to_json(t)::text AS row FROM ${sql.raw(name)} t WHERE ctid = ${large}::tid
      `.execute(db)
      yield* toLines(found.rows)
    }
    if (rows.length < FETCH_ROWS) break
  }
  await sql.raw(`CLOSE ${CURSOR}`).execute(db)
}

/** A row, or the place of a large one. */
type Fetched = { large: null; row: string } | { large: string; row: null }

function* toLines(rows: readonly { row: string }[]): Generator<Buffer> {
  if (rows.length > 0) yield Buffer.from(rows.map(({ row }) => `${row}\n`).join(''))
}

export async function countTables(db: Connection): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of await listTables(db)) {
    const { rows } = await sql
      .raw<Row>(`SELECT count(*)::int8 AS n FROM ${quoteName(table)}`)
      .execute(db)
    counts[table] = integerOf(rows[0] ?? {}, 'n')
  }
  return counts
}

/** A row or the name of the section that begins. */
type Line = { section: string } | { row: string }

/**
 * Splits at newlines only: `readline` would also split at U+2028, which JSON texts may contain.
 * @throws HubError `backup_damaged`.
 */
export async function* parseLines(payload: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let pending: Buffer[] = []
  for await (const part of payload) {
    let start = 0
    for (let end = part.indexOf(NEWLINE); end >= 0; end = part.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...pending, part.subarray(start, end)]).toString('utf8')
      pending = []
      start = end + 1
      yield line.startsWith('{') ? { row: line } : { section: line }
    }
    if (start < part.length) pending.push(part.subarray(start))
  }
  if (pending.length > 0) throw damaged('its last line is incomplete')
}

function damaged(reason: string): HubError {
  return new HubError('backup_damaged', { reason })
}

const NEWLINE = 10
const BATCH_BYTES = 1_000_000

/**
 * Replaces the rows of the tables in the connection's schema, which migrations may have inserted.
 * @returns the number of rows of each table.
 * @throws HubError `backup_damaged` for an unknown table, and the error of PostgreSQL for rows that it rejects.
 */
export async function loadRows(
  db: Connection,
  payload: AsyncIterable<Buffer>,
): Promise<Record<string, number>> {
  const tables = await listTables(db)
  const replaced = await listAllTables(db)
  await sql.raw(`TRUNCATE ${replaced.map(quoteName).join(', ')}`).execute(db)
  const counts: Record<string, number> = Object.fromEntries(tables.map((name) => [name, 0]))
  let section = ''
  let batch: string[] = []
  let bytes = 0
  const flush = async () => {
    if (batch.length === 0) return
    if (section === SEQUENCES) await setSequences(db, batch)
    else {
      if (!Object.hasOwn(counts, section)) throw damaged('it contains an unknown table')
      await insertRows(db, section, batch)
      counts[section] = (counts[section] ?? 0) + batch.length
    }
    batch = []
    bytes = 0
  }
  for await (const line of parseLines(payload)) {
    if ('section' in line) {
      await flush()
      section = line.section
      continue
    }
    batch.push(line.row)
    bytes += line.row.length
    if (bytes >= BATCH_BYTES) await flush()
  }
  await flush()
  return counts
}

async function insertRows(db: Connection, table: string, rows: string[]): Promise<void> {
  const name = quoteName(table)
  await sql`
    INSERT INTO ${sql.raw(name)}
    SELECT * FROM json_populate_recordset(NULL::${sql.raw(name)}, ${`[${rows.join(',')}]`}::json)
  `.execute(db)
}

async function setSequences(db: Connection, rows: string[]): Promise<void> {
  for (const text of rows) {
    const row: Row = JSON.parse(text)
    await sql`
      SELECT setval(to_regclass(${quoteName(textOf(row, 'name'))}), ${integerOf(row, 'last_value')})
    `.execute(db)
  }
}
