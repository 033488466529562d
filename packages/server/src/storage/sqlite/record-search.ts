/** How record lists find records on SQLite, and how the indexes of fields are saved. */
import { sql } from 'kysely'
import type { RecordListDialect } from '../shared/record-list/record-scan.ts'
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

export function createFieldIndexDialect({
  database,
  withoutFsync,
}: Pick<SqliteConnections, 'database' | 'withoutFsync'>): FieldIndexDialect {
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
