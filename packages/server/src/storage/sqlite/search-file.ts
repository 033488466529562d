/**
 * The file of the text index, beside the database. It contains nothing that cannot be read from the database: a file
 * that is missing, damaged or of another version is created anew.
 */
import { rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { TOKENS_VERSION } from '../../domain/search/search-tokens.ts'
import { syncFolder } from '../../lib/files/durable-files.ts'
import { integerOf, textOf } from '../shared/schema/databases.ts'
import { isDamaged, needsRollback } from './map-error.ts'

/** `record_sample` contains one of so many records. It tells whether a search finds too many. */
export const SAMPLE_RATE = 64

/** Tokens are separated by spaces; every other character of ASCII may be part of one. */
const TOKEN_CHARACTERS = Array.from({ length: 94 }, (_, at) => String.fromCharCode(at + 33))
  .filter((character) => !/[a-z0-9]/i.test(character))
  .join('')
  .replace('"', '""')
  .replace("'", "''")

/** The tokens of each record, with its id as rowid. The tables contain neither texts nor positions in them. */
const INDEXES = ['record_search', 'record_sample']
const TABLES = INDEXES.map(
  (name) => `CREATE VIRTUAL TABLE ${name} USING fts5 (
    tokens, content = '', contentless_delete = 1, detail = none,
    tokenize = "ascii tokenchars '${TOKEN_CHARACTERS}'"
  )`,
)

const SCHEMA = [
  ...TABLES,
  // In bytes. With the default of one megabyte, more and smaller segments are merged: 70 µs per record instead of 40.
  `INSERT INTO record_search (record_search, rank) VALUES ('hashsize', 4194304)`,
  // The number of segments of one level that FTS5 merges. With the default of 4, entries are written again more often: reading,
  // tokens and index take 62 µs per museum record instead of 55. A look-up among a million records takes 17 µs instead of 11.
  `INSERT INTO record_search (record_search, rank) VALUES ('automerge', 8)`,
  // In percent. With the default of 10, FTS5 rewrites the whole index each time that a tenth of the records has changed:
  // 320 µs per changed record instead of 60. The index has at most twice the size.
  `INSERT INTO record_search (record_search, rank) VALUES ('deletemerge', 50)`,
  // One row: the number of the last indexed change, and the database that it is a change of.
  'CREATE TABLE state (position INTEGER NOT NULL, database_id TEXT NOT NULL) STRICT',
]

const BUSY_TIMEOUT_MS = 5000

/** The text index of a database. */
export type IndexFile = {
  /** The path of the index. */
  path: string
  /** The path of the database. */
  databasePath: string
  /** Identifies the database: an index of another one is useless. */
  databaseId: string
}

/** The path of the text index of a database. */
export function searchFileOf(databasePath: string): string {
  return `${databasePath.replace(/\.sqlite$/, '')}.search.sqlite`
}

/** Identifies a file, so that a connection can tell whether it has been replaced; null if there is none. */
export function fileIdentity(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found ? `${found.dev} ${found.ino}` : null
}

/**
 * Creates an empty index of a database. An existing index is emptied, and its file is not replaced: SQLite would truncate
 * the shared memory of a reader in this process that has the file open, which ends the process (SIGBUS).
 */
export function createSearchFile({ path, databaseId }: IndexFile): DatabaseSync {
  const database = openSearchFile(path)
  // VACUUM removes the bytes of the deleted entries faster.
  database.exec('PRAGMA secure_delete = OFF')
  database.exec('BEGIN IMMEDIATE')
  for (const table of [...INDEXES, 'state']) database.exec(`DROP TABLE IF EXISTS ${table}`)
  for (const statement of SCHEMA) database.exec(statement)
  database.prepare('INSERT INTO state VALUES (0, ?)').run(databaseId)
  database.exec(`PRAGMA user_version = ${TOKENS_VERSION}`)
  database.exec('COMMIT')
  database.exec('VACUUM')
  database.exec('PRAGMA secure_delete = ON')
  return database
}

/** Opens an index for writing. */
export function openSearchFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  database.exec('PRAGMA journal_mode = WAL')
  // A power failure undoes the position together with the entries, so the records are indexed again.
  database.exec('PRAGMA synchronous = NORMAL')
  // Overwrites deleted bytes, so that erased data cannot be read from the file.
  database.exec('PRAGMA secure_delete = ON')
  database.exec('PRAGMA cache_size = -16384')
  database.exec('PRAGMA wal_autocheckpoint = 4096')
  return database
}

/** Whether a file has the tokens of this version, and nobody has requested to create it anew. */
export function isCurrentVersion(database: DatabaseSync): boolean {
  const version = database.prepare('PRAGMA user_version').get()
  return integerOf(version ?? {}, 'user_version') === TOKENS_VERSION
}

/** Whether a file is the index of a database, in this version. */
export function isIndexOf(database: DatabaseSync, { databaseId }: IndexFile): boolean {
  if (!isCurrentVersion(database)) return false
  const state = database.prepare('SELECT database_id FROM state').get()
  return textOf(state ?? {}, 'database_id') === databaseId
}

/** Whether a reader found a file that is damaged, or whose creation was interrupted. */
export function isUnreadable(error: unknown): boolean {
  return isDamaged(error) || needsRollback(error)
}

/** Makes the hub create the index anew, even if it is using the file now. */
export function requestRebuild(path: string): void {
  if (fileIdentity(path) === null) return
  try {
    const database = openSearchFile(path)
    database.exec('PRAGMA user_version = 0')
    database.close()
  } catch (error) {
    if (!isDamaged(error)) throw error
    deleteSearchFile(path)
  }
}

export function deleteDamagedFile({ path }: IndexFile, warn: (message: string) => void): void {
  warn('The search index is damaged, so the hub creates a new one.')
  deleteSearchFile(path)
}

/** Deletes the log too, for good: SQLite would apply it to the next file of this name. */
function deleteSearchFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
  syncFolder(dirname(path))
}
