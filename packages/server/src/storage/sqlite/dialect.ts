/** The small differences of SQLite, for the stores that both engines share. */
import { stat, statfs } from 'node:fs/promises'
import { type RawBuilder, sql } from 'kysely'
import type { DiskSpace } from '../../domain/alerts/alert.ts'
import type { HashReference } from '../../domain/record/erasure.ts'
import { storageUnavailable } from '../../errors.ts'
import { errorCodeOf } from '../../lib/files/error-code.ts'
import type { EngineInfo } from '../port/storage.ts'
import type { ContainsIgnoringCase } from '../shared/activity/activity-store.ts'
import type { ErasureDialect } from '../shared/deletion/erasure-store.ts'
import { textLiteral, type ViewDialect } from '../shared/platforms/sql-views.ts'
import type { Decision, DecisionRows, SelectRowsOf } from '../shared/reverts/scope-history.ts'
import { type Executor, integerOf } from '../shared/schema/databases.ts'
import type { SqliteConnections } from './connection.ts'

/** Returns a subquery of these ids. Its SQL text does not depend on their number. */
export function idList(ids: number[]): RawBuilder<number> {
  return sql<number>`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
}

/** As `SelectByIds`. The list of ids is read first, since an index has the column. */
export function selectByIds<Row>(ids: number[], select: SelectRowsOf<Row>): RawBuilder<Row> {
  return sql<Row>`SELECT * FROM ${select((column) => sql`${sql.ref(column)} IN ${idList(ids)}`)} AS w`
}

/** As `DecisionRows`. */
export const decisionRows: DecisionRows = (decisions) => {
  const rows = decisions.map((one) => [one.record_id, one.platform_id, one.decided_seq])
  return sql<Decision>`(SELECT value ->> 0 AS record_id, value ->> 1 AS platform_id, value ->> 2 AS decided_seq
    FROM json_each(${JSON.stringify(rows)}))`
}

/** Case-insensitive for A to Z only, whatever the locale, as on PostgreSQL. */
export const containsIgnoringCase: ContainsIgnoringCase = (column, text) =>
  sql<boolean>`instr(lower(${column}), ${text}) > 0`

export function createErasureDialect(deps: {
  hashReference: HashReference
  purge: ErasureDialect['purge']
}): ErasureDialect {
  return {
    ...deps,
    contains: (column, text) => sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`,
    allocateSequence,
    deleteText: async () => undefined,
  }
}

/** Numbers stay numbers, so that SQLite compares them as numbers. */
export const viewDialect: ViewDialect = {
  source: 'main.records r',
  keyValue(key) {
    const path = textLiteral(`$.${JSON.stringify(key)}`)
    // `->>` alone returns 1 and 0 for booleans.
    return `CASE json_type(r.data, ${path}) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
      ELSE r.data ->> ${path} END`
  },
}

/** Reads the version of SQLite, and the size of the database file without its write-ahead log. */
export async function readEngineInfo(db: Executor): Promise<EngineInfo> {
  const { rows } = await sql<{ engine_version: string; bytes: number }>`
    SELECT sqlite_version() AS engine_version, page_count * page_size AS bytes
    FROM pragma_page_count(), pragma_page_size()
  `.execute(db)
  const { engine_version = '', bytes = 0 } = rows[0] ?? {}
  return { engine: 'sqlite', engine_version, bytes }
}

/** Reads the size of the write-ahead log of a database file. */
export async function readLogBytes(path: string): Promise<number> {
  try {
    return (await stat(`${path}-wal`)).size
  } catch (cause) {
    // SQLite deletes the log with the last connection, and creates it with the first one.
    if (errorCodeOf(cause) === 'ENOENT') return 0
    throw storageUnavailable(cause)
  }
}

/** Reads a number that changes when another connection commits. The reading connection never does. */
export async function readVersion(db: Executor): Promise<string> {
  const { rows } = await sql<{ data_version: number }>`PRAGMA data_version`.execute(db)
  return String(rows[0]?.data_version)
}

/** Maximum number of pages that a step releases to the file system. It takes a few milliseconds, and pushes wait for it. */
const VACUUM_PAGES = 100

/** Returns a function that removes free pages from the end of the file, and returns whether any are left. */
export function createIncrementalVacuum(
  connections: Pick<SqliteConnections, 'database' | 'withWriteLock'>,
): () => Promise<boolean> {
  const { database, withWriteLock } = connections
  return () =>
    withWriteLock(() => {
      database.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`)
      const free = database.prepare('PRAGMA freelist_count').get()
      return integerOf(free ?? {}, 'freelist_count') > 0
    })
}

/** Reads the disk space that is available to the user of the hub, and the size of the disk. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { available: bavail * bsize, total: blocks * bsize }
  } catch (cause) {
    throw storageUnavailable(cause)
  }
}

/**
 * Returns the last number of the write sequence. All changes up to it are visible: one connection writes, so there are no
 * other transactions in flight.
 */
export async function readCommitWatermark(executor: Executor): Promise<number> {
  const { rows } = await sql<{ value: number }>`SELECT value FROM write_sequence`.execute(executor)
  return rows[0]?.value ?? 0
}

/** Allocates rising numbers for changes that the transaction writes. */
export async function allocateSequence(transaction: Executor, count: number): Promise<number[]> {
  const { rows } = await sql<{ value: number }>`
    UPDATE write_sequence SET value = value + ${count} RETURNING value
  `.execute(transaction)
  const last = rows[0]?.value ?? 0
  return Array.from({ length: count }, (_, index) => last - count + 1 + index)
}
