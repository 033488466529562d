import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { createRecordTokenizer } from '../../packages/server/src/domain/search/token-bytes.ts'
import {
  bytesOf,
  integerOf,
  textOf,
} from '../../packages/server/src/storage/shared/schema/databases.ts'
import {
  createSearchFile,
  SAMPLE_RATE,
  searchFileOf,
} from '../../packages/server/src/storage/sqlite/search-file.ts'
import { DATABASE, type FloorStore, INDEX_STEP, toRow } from './store.ts'

const ROWS_PER_INSERT = [32, 8, 1]
const EMPTY = { reference_number: '', full_name: '', data: new Uint8Array(), fingerprint: null }

export function openSqliteFloor(): FloorStore {
  const path = join(DATABASE.dataDir, 'recordhub.sqlite')
  const database = new DatabaseSync(path)
  for (const pragma of ['synchronous = FULL', 'secure_delete = ON', 'cache_size = -8192'])
    database.exec(`PRAGMA ${pragma}`)
  const columns = Object.keys(toRow(EMPTY, 0, ''))
  const values = columns.map((column) => (column === 'data' ? 'CAST(? AS TEXT)' : '?')).join(', ')
  const inserts = ROWS_PER_INSERT.map((count) => ({
    count,
    statement: database.prepare(
      `INSERT INTO records (${columns.join(', ')}) VALUES ${Array(count).fill(`(${values})`).join(', ')}`,
    ),
  }))
  const find = database.prepare(
    'SELECT fingerprint FROM records WHERE platform_id = 1 AND module_id = 1 AND reference_number = ?',
  )
  let last = 0
  return {
    async insert(records) {
      const at = new Date().toISOString()
      database.exec('BEGIN IMMEDIATE')
      let inserted = 0
      for (const { count, statement } of inserts) {
        for (; records.length - inserted >= count; inserted += count) {
          const parameters: SQLInputValue[] = []
          for (let index = inserted; index < inserted + count; index++) {
            last += 1
            const row: Record<string, SQLInputValue | undefined> = toRow(
              records[index] ?? EMPTY,
              last,
              at,
            )
            for (const column of columns) parameters.push(row[column] ?? null)
          }
          statement.run(...parameters)
        }
      }
      database.exec('COMMIT')
    },
    findFingerprints: async (references) =>
      references.map((reference) => {
        const row = find.get(reference)
        return row ? textOf(row, 'fingerprint') : null
      }),
    indexAll: async () => indexAll(database, path),
    close: async () => database.close(),
  }
}

function indexAll(database: DatabaseSync, databasePath: string): number {
  const file = createSearchFile({ path: searchFileOf(databasePath), databasePath, databaseId: '' })
  const [save, sample] = ['record_search', 'record_sample'].map((table) =>
    file.prepare(`INSERT INTO ${table} (rowid, tokens) VALUES (?, CAST(? AS TEXT))`),
  )
  const read = database.prepare(
    `SELECT record_id, full_name, reference_number, CAST(data AS BLOB) AS data, change_seq FROM records
     WHERE change_seq > ? ORDER BY change_seq LIMIT ?`,
  )
  const tokenize = createRecordTokenizer()
  let [position, indexed, before] = [0, 0, -1]
  while (indexed > before) {
    before = indexed
    file.exec('BEGIN IMMEDIATE')
    for (const row of read.iterate(position, INDEX_STEP)) {
      const recordId = integerOf(row, 'record_id')
      const [full_name, reference_number] = [
        textOf(row, 'full_name'),
        textOf(row, 'reference_number'),
      ]
      const tokens = tokenize({ full_name, reference_number, data: bytesOf(row, 'data') })
      save?.run(recordId, tokens)
      if (recordId % SAMPLE_RATE === 0) sample?.run(recordId, tokens)
      position = integerOf(row, 'change_seq')
      indexed += 1
    }
    file.exec('COMMIT')
  }
  file.close()
  return indexed
}
