import { sql } from 'kysely'
import type { RecordStore } from '../port/record-store.ts'
import type { Databases } from '../shared/schema/databases.ts'
import { textArray } from './parameters.ts'

type Match = { position: number; record_id: number }

export function createUnchangedFinder({ reader }: Databases): Pick<RecordStore, 'findUnchanged'> {
  return {
    async findUnchanged(read, elements) {
      const { pull_id, platform_id, module_id, snapshotSeq } = read
      const references = textArray(elements.map((element) => element.reference_number))
      const hashes = textArray(elements.map((element) => element.fingerprint))
      // The rule of `isUnchanged` in SQL, so that no hashes are returned. OFFSET 0 prevents the planner from inlining the
      // subquery, which finds each record by its index. A plan made for an empty table would scan the module.
      const { rows } = await sql<Match>`
        SELECT s.position::int AS position, r.record_id
        FROM unnest(${references}::text[], ${hashes}::text[])
          WITH ORDINALITY AS s (reference, fingerprint, position)
        CROSS JOIN LATERAL (
          SELECT record_id, fingerprint, incomplete, missing_since, pushed_seq
          FROM records
          WHERE platform_id = ${platform_id} AND module_id = ${module_id}
            AND reference_number = s.reference
          OFFSET 0
        ) r
        WHERE r.fingerprint = s.fingerprint AND r.incomplete = 0 AND r.missing_since IS NULL
          AND r.pushed_seq <= ${snapshotSeq}
          AND (SELECT state FROM pulls WHERE pull_id = ${pull_id}) = 'running'
          AND EXISTS (
            SELECT 1 FROM modules m JOIN platforms p ON p.platform_id = m.platform_id
            WHERE m.module_id = ${module_id} AND m.registered_at IS NOT NULL AND p.status = 'active'
          )`.execute(reader)
      const ids: (number | null)[] = elements.map(() => null)
      for (const { position, record_id } of rows) ids[position - 1] = record_id
      return ids
    },
  }
}
