/** How record lists find records on PostgreSQL, and how the indexes of fields are saved. */
import { sql } from 'kysely'
import type { RecordListDialect } from '../shared/record-list/record-scan.ts'
import type { Databases, Executor } from '../shared/schema/databases.ts'
import type { FieldIndexDialect } from '../shared/search/field-index.ts'
import { idList } from './dialect.ts'
import { tryAcquireLock } from './locks.ts'
import { NAME_INDEX_LENGTH } from './migrations/0001-initial-schema.ts'
import { bigintArray, textArray } from './parameters.ts'
import { findByText } from './text-index.ts'

export function createRecordListDialect(database: Executor): RecordListDialect {
  return {
    nameIndexLength: NAME_INDEX_LENGTH,
    idList,
    contains: (column, text) => sql<boolean>`strpos(${column}, ${text}) > 0`,
    findByText: (terms, limit) => findByText(database, terms, limit),
  }
}

export function createFieldIndexDialect({ writer }: Pick<Databases, 'writer'>): FieldIndexDialect {
  return {
    runExclusively: (work) =>
      writer
        .transaction()
        .execute(async (db) => ((await tryAcquireLock(db, 'field index')) ? work(db) : null)),

    async saveValues(db, values) {
      if (values.length === 0) return
      await sql`
        INSERT INTO record_index AS i (platform_id, field_id, record_id, sort_key)
        SELECT * FROM unnest(
          ${bigintArray(values.map((one) => one.platform_id))}::bigint[],
          ${bigintArray(values.map((one) => one.field_id))}::bigint[],
          ${bigintArray(values.map((one) => one.record_id))}::bigint[],
          ${textArray(values.map((one) => one.sort_key))}::text[])
        ON CONFLICT (platform_id, field_id, record_id) DO UPDATE SET sort_key = excluded.sort_key
          WHERE i.sort_key IS DISTINCT FROM excluded.sort_key
      `.execute(db)
    },
  }
}
