/** Copies of a SQLite database for backups. Works with every version of the schema. */
import { DatabaseSync } from 'node:sqlite'
import {
  type BackupHeader,
  hashRows,
  type RecordSample,
  rowText,
  sampleIds,
} from '../shared/backup/backup-header.ts'
import { quoteName } from '../shared/platforms/sql-views.ts'
import { integerOf, type Row, textOf } from '../shared/schema/databases.ts'
import { NOT_BACKED_UP } from '../shared/schema/tables.ts'

const BUSY_TIMEOUT_MS = 5000

/** What a database contains, for the header of its backup. */
type DatabaseContent = Pick<BackupHeader['info'], 'migrations' | 'position' | 'tables'> & {
  sample: RecordSample
}

/**
 * Copies a database to a new file, in one read transaction: a snapshot of the write-ahead log, with which others
 * continue to write. The copy has no free pages, and so nothing that was deleted. Blocks the thread.
 */
export function copySnapshot(databasePath: string, target: string): void {
  withDatabase(databasePath, (database) => database.prepare('VACUUM INTO ?').run(target))
}

/** Deletes from a copy what backups leave out. */
export function deleteNotBackedUp(path: string): void {
  const database = new DatabaseSync(path)
  try {
    // Without `secure_delete`, the pages that remain in the file keep what was deleted from them.
    database.exec('PRAGMA synchronous = OFF; PRAGMA secure_delete = ON')
    const exists = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`)
    const tables = NOT_BACKED_UP.filter((name) => exists.get(name))
    for (const name of tables) database.exec(`DELETE FROM ${quoteName(name)}`)
    if (tables.length > 0) database.exec('PRAGMA incremental_vacuum')
  } finally {
    database.close()
  }
}

/** @throws Error if the file is damaged. */
export function assertIntact(path: string): void {
  const rows = withDatabase(path, (database) => database.prepare('PRAGMA integrity_check(3)').all())
  const found = rows.map((row) => String(row['integrity_check']))
  if (found.join() !== 'ok') throw new Error(`the database is damaged (${found.join('; ')})`)
}

/** Counts the rows of every table, and hashes a sample of the records. */
export function describeContent(path: string): DatabaseContent {
  return withDatabase(path, readContent)
}

function readContent(database: DatabaseSync): DatabaseContent {
  const names = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
    .all()
    .map((row) => textOf(row, 'name'))
    .filter((name) => !NOT_BACKED_UP.includes(name))
    .toSorted()
  const count = (name: string) =>
    integerOf(database.prepare(`SELECT count(*) AS n FROM ${quoteName(name)}`).get() ?? {}, 'n')
  const tables = Object.fromEntries(names.map((name) => [name, count(name)]))
  return {
    tables,
    migrations:
      'kysely_migration' in tables
        ? database
            .prepare('SELECT name FROM kysely_migration ORDER BY name')
            .all()
            .map((row) => textOf(row, 'name'))
        : [],
    position:
      'write_sequence' in tables
        ? integerOf(
            database.prepare('SELECT value FROM write_sequence').get() ?? { value: 0 },
            'value',
          )
        : 0,
    sample: hashRows(readSample(database)),
  }
}

/**
 * Compares a sample of the records with the database that was copied. Records that have changed since are left out.
 * @throws Error if a record differs.
 */
export function compareWithSource(path: string, databasePath: string): void {
  const rows = withDatabase(path, readSample)
  withDatabase(databasePath, (source) => {
    if (rows.length === 0) return
    const find = source.prepare('SELECT * FROM records WHERE record_id = ? AND change_seq = ?')
    for (const row of rows) {
      const id = integerOf(row, 'record_id')
      const original = find.get(id, integerOf(row, 'change_seq'))
      if (original && rowText(original) !== rowText(row)) {
        throw new Error(`record ${id} differs from the database`)
      }
    }
  })
}

function readSample(database: DatabaseSync): Row[] {
  const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'records'`).get()
  if (!table) return []
  const range = database
    .prepare('SELECT min(record_id) AS lowest, max(record_id) AS highest FROM records')
    .get()
  if (!range || range['lowest'] === null) return []
  const next = database.prepare(
    'SELECT * FROM records WHERE record_id >= ? ORDER BY record_id LIMIT 1',
  )
  const ids = sampleIds(integerOf(range, 'lowest'), integerOf(range, 'highest'))
  return ids.map((id) => next.get(id)).filter((row) => row !== undefined)
}

function withDatabase<Result>(path: string, use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
  try {
    database.exec('PRAGMA cache_size = -16384')
    return use(database)
  } finally {
    database.close()
  }
}
