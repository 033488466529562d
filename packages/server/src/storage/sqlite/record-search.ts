/** How record lists find records on SQLite, and how the indexes of fields are saved. */
import { sql } from 'kysely'
import { isUnchanged } from '../../domain/pull/unchanged.ts'
import type { RecordStore } from '../port/record-store.ts'
import type { RecordListDialect } from '../shared/record-list/record-scan.ts'
import type { Databases } from '../shared/schema/databases.ts'
import type { FieldIndexDialect } from '../shared/search/field-index.ts'
import type { SqliteConnections } from './connection.ts'
import { idList } from './dialect.ts'
import type { SearchReader } from './search-reader.ts'

export function createRecordListDialect(reader: SearchReader): RecordListDialect {
  return {
    nameIndexLength: null,
    idList,
    contains: (column, text) => sql<boolean>`instr(${column}, ${text}) > 0`,
    findByText: async (terms, limit) => reader.find(terms, limit),
  }
}

export function createFieldIndexDialect(
  connections: Pick<SqliteConnections, 'database' | 'withoutFsync'>,
): FieldIndexDialect {
  const { database, withoutFsync } = connections
  const saveValue = database.prepare(
    `INSERT INTO record_index (platform_id, field_id, record_id, sort_key) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET sort_key = excluded.sort_key
       WHERE sort_key IS NOT excluded.sort_key`,
  )
  return {
    // A power failure undoes the position together with the entries, so the records are indexed again.
    runExclusively: withoutFsync,
    // The statements run on the connection of the transaction, which is the only writing one.
    async saveValues(_, values) {
      for (const { platform_id, field_id, record_id, sort_key } of values) {
        saveValue.run(platform_id, field_id, record_id, sort_key)
      }
    },
  }
}

type Candidate = {
  position: number
  record_id: number
  fingerprint: string | null
  pushed_seq: number
}

export function createUnchangedFinder({ reader }: Databases): Pick<RecordStore, 'findUnchanged'> {
  return {
    async findUnchanged(read, elements) {
      const { pull_id, platform_id, module_id } = read
      const references = JSON.stringify(elements.map((element) => element.reference_number))
      // CROSS JOIN fixes the order of the tables. Otherwise SQLite would scan the records of the module.
      const { rows } = await sql<Candidate>`
        SELECT s.key AS position, r.record_id, r.fingerprint, r.pushed_seq
        FROM json_each(${references}) s CROSS JOIN records r
          ON r.platform_id = ${platform_id} AND r.module_id = ${module_id}
          AND r.reference_number = s.value
        WHERE r.incomplete = 0 AND r.missing_since IS NULL
          AND (SELECT state FROM pulls WHERE pull_id = ${pull_id}) = 'running'
          AND EXISTS (
            SELECT 1 FROM modules m JOIN platforms p ON p.platform_id = m.platform_id
            WHERE m.module_id = ${module_id} AND m.registered_at IS NOT NULL AND p.status = 'active'
          )`.execute(reader)
      const ids: (number | null)[] = elements.map(() => null)
      for (const { position, record_id, fingerprint, pushed_seq } of rows) {
        const stored = { fingerprint, pushed_seq, incomplete: false, missing_since: null }
        const element = elements[position]
        if (element && isUnchanged(stored, element, read)) ids[position] = record_id
      }
      return ids
    },
  }
}
