/** Reads a database file in any state, for `recordhub doctor`. */
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { recordTokens } from '../../domain/search/search-tokens.ts'
import { HubError } from '../../errors.ts'
import type { DatabaseProblem, DiagnosticsStore } from '../port/diagnostics-store.ts'
import {
  createSharedDiagnostics,
  findBrokenReferences,
  readSchemaState,
  type SampledRecord,
  sampleRecords,
} from '../shared/diagnostics/shared-diagnostics.ts'
import { type Executor, integerOf, textOf } from '../shared/schema/databases.ts'
import { findRow } from '../shared/schema/rows.ts'
import { readLag } from '../shared/search/search-index.ts'
import { openUncheckedReader } from './connection.ts'
import { readCommitWatermark, readEngineInfo } from './dialect.ts'
import { isBusy, isDamaged, needsRollback, withMappedErrors } from './map-error.ts'
import { migrations } from './migrations/index.ts'
import { isIndexOf, searchFileOf } from './search-file.ts'

const MAX_PROBLEMS = 100
const BUSY_TIMEOUT_MS = 5000
/** Tokens of a record to look up. More would find the same record, and FTS5 limits the size of a query. */
const MAX_TOKENS = 50

/** @throws HubError `no_database` if the file does not exist. Reads nothing yet, so a damaged file is opened as well. */
export function openDiagnostics(path: string): DiagnosticsStore {
  if (!existsSync(path)) throw new HubError('no_database', { path })
  const db = openUncheckedReader(path)
  const searchPath = searchFileOf(path)

  return {
    ...createSharedDiagnostics(db),
    engine: 'sqlite',
    location: path,

    readSchema: () =>
      readSchemaState(
        db,
        migrations,
        sql`SELECT 1 FROM sqlite_schema WHERE name = 'kysely_migration'`,
      ),

    async readServer() {
      const { engine_version, bytes } = await readEngineInfo(db)
      const log_bytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
      const now = new Date().toISOString()
      return { engine_version, bytes, log_bytes, now, settings: {}, durability: null }
    },

    async findDamage() {
      const found = checkFile(path, 'damaged')
      return existsSync(searchPath)
        ? [...found, ...checkFile(searchPath, 'damaged_text_index')]
        : found
    },

    canVerifyIndexes: async () => true,

    async findDefects() {
      const { rows } = await sql<{ stored: number; used: number }>`
        SELECT (SELECT value FROM write_sequence) AS stored, max(
          (SELECT coalesce(max(change_seq), 0) FROM records),
          (SELECT coalesce(max(change_seq), 0) FROM record_deletions)) AS used
      `.execute(db)
      const { stored = 0, used = 0 } = rows[0] ?? {}
      if (stored >= used) return []
      const detail = `its value is ${stored}, but change ${used} exists`
      return [{ kind: 'sequence_behind', name: 'write_sequence', detail }]
    },

    async findBrokenReferences() {
      const { rows } = await sql<{ child: string; parent: string; n: number }>`
        SELECT "table" AS child, parent, count(*) AS n FROM pragma_foreign_key_check() GROUP BY 1, 2
      `.execute(db)
      const keys = rows.map(({ child, parent, n }) => ({
        ...{ kind: 'broken_reference' as const, name: child },
        detail: `${n} rows reference a row of ${parent} that does not exist`,
      }))
      return [...keys, ...(await findBrokenReferences(db))]
    },

    async readSearchIndex() {
      const last_change = await readCommitWatermark(db)
      const position = await readPosition(db, searchPath)
      const isKnown = typeof position === 'number'
      const lag = await readLag(db, isKnown ? position : 0)
      const state = isKnown ? 'current' : position
      return { state, position: isKnown ? position : 0, last_change, ...lag }
    },

    async sampleSearchIndex(size) {
      const position = await readPosition(db, searchPath)
      if (typeof position !== 'number') return { sampled: 0, missing: [] }
      const records = await sampleRecords(db, position, size)
      const lookedUp = withMappedErrors(() => {
        using index = openReadOnly(searchPath)
        return records.filter((record) => !isFound(index, record))
      })
      const missing: number[] = []
      for (const { record_id, change_seq } of lookedUp) {
        const now = await findRow(db, 'records', { record_id }, ['change_seq'])
        if (now?.change_seq === change_seq) missing.push(record_id)
      }
      return { sampled: records.length, missing }
    },

    isHubRunning: async () => isLocked(`${path}.lock`),

    close: () => db.destroy(),
  }
}

function openReadOnly(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
}

/** The result of `integrity_check`, which also verifies indexes and the full-text index. */
function checkFile(path: string, kind: 'damaged' | 'damaged_text_index'): DatabaseProblem[] {
  try {
    using database = openReadOnly(path)
    const lines = database.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all()
    return lines
      .flatMap((row) => textOf(row, 'integrity_check').split('\n'))
      .filter((line) => line !== 'ok')
      .map((detail) => ({ kind, name: path, detail }))
  } catch (error) {
    // The hub creates the text index anew, and rolls back the database when it starts.
    if (needsRollback(error)) return []
    if (isDamaged(error) && error instanceof Error) {
      return [{ kind, name: path, detail: error.message }]
    }
    return withMappedErrors(() => {
      throw error
    })
  }
}

/** The position of the text index, or why it has none. */
async function readPosition(
  db: Executor,
  searchPath: string,
): Promise<number | 'missing' | 'outdated'> {
  if (!existsSync(searchPath)) return 'missing'
  const { rows } = await sql<{ database_id: string }>`
    SELECT database_id FROM database_identity
  `.execute(db)
  const databaseId = rows[0]?.database_id ?? ''
  return withMappedErrors(() => {
    try {
      using index = openReadOnly(searchPath)
      if (!isIndexOf(index, { path: searchPath, databasePath: '', databaseId })) return 'outdated'
      return integerOf(index.prepare('SELECT position FROM state').get() ?? {}, 'position')
    } catch (error) {
      if (needsRollback(error)) return 'outdated'
      throw error
    }
  })
}

/** Whether a record is among the results of a search for its own tokens. */
function isFound(index: DatabaseSync, record: SampledRecord): boolean {
  const tokens = [...new Set(recordTokens(record).split(' '))].filter(Boolean).slice(0, MAX_TOKENS)
  if (tokens.length === 0) return true
  const query = tokens.map((token) => `"${token.replaceAll('"', '""')}"`).join(' AND ')
  const find = index.prepare(
    'SELECT 1 FROM record_search WHERE record_search MATCH ? AND rowid = ?',
  )
  return find.get(query, record.record_id) !== undefined
}

/** Whether a hub holds the lock of `lockForProcess`. It takes a shared lock for a moment. */
function isLocked(lockPath: string): boolean {
  if (!existsSync(lockPath)) return false
  using database = new DatabaseSync(lockPath, { readOnly: true, timeout: 0 })
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  }
}
