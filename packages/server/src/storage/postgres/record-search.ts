/** How record lists find records on PostgreSQL, and how the indexes of fields are saved. */
import { sql } from 'kysely'
import type { RecordStore } from '../port/record-store.ts'
import type { RecordListDialect } from '../shared/record-list/record-scan.ts'
import { type Databases, type Executor, integerOf, type Row } from '../shared/schema/databases.ts'
import type { FieldIndexDialect } from '../shared/search/field-index.ts'
import type { PostgresConnections } from './connection.ts'
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

export function createUnchangedFinder({
  withWriter,
}: Pick<PostgresConnections, 'withWriter'>): Pick<RecordStore, 'findUnchanged'> {
  return {
    async findUnchanged({ platform_id, module_id, snapshotSeq, pull_id }, elements) {
      const references = textArray(elements.map((element) => element.reference_number))
      const fingerprints = textArray(elements.map((element) => element.fingerprint))
      const values = [platform_id, module_id, snapshotSeq, pull_id, references, fingerprints]
      const query = { name: 'findUnchanged', text: FIND_UNCHANGED, values }
      const { rows } = await withWriter((client) => client.query<Row>(query))
      const ids: (number | null)[] = elements.map(() => null)
      for (const row of rows) ids[integerOf(row, 'position') - 1] = integerOf(row, 'record_id')
      return ids
    },
  }
}

/**
 * The rule of `isUnchanged` in SQL, so that no fingerprints are returned. OFFSET 0 prevents the planner from inlining the
 * subquery, which finds each record by its index.
 */
const FIND_UNCHANGED = `
  SELECT s.position::int AS position, r.record_id
  FROM unnest($5::text[], $6::text[]) WITH ORDINALITY AS s (reference, fingerprint, position)
  CROSS JOIN LATERAL (
    SELECT record_id, fingerprint, incomplete, missing_since, pushed_seq
    FROM records
    WHERE platform_id = $1 AND module_id = $2 AND reference_number = s.reference
    OFFSET 0
  ) r
  WHERE r.fingerprint = s.fingerprint AND r.incomplete = 0 AND r.missing_since IS NULL
    AND r.pushed_seq <= $3
    AND (SELECT state FROM pulls WHERE pull_id = $4) = 'running'
    AND EXISTS (
      SELECT 1 FROM modules m JOIN platforms p ON p.platform_id = m.platform_id
      WHERE m.module_id = $2 AND m.registered_at IS NOT NULL AND p.status = 'active'
    )`
