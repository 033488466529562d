import { sql } from 'kysely'
import type { RecordStore } from '../port/record-store.ts'
import type { Databases } from '../shared/schema/databases.ts'
import { textArray } from './parameters.ts'

type Found = { position: number; record_id: number }

export function createUnchangedFinder({ reader }: Databases): Pick<RecordStore, 'findUnchanged'> {
  return {
    async findUnchanged(read, sightings) {
      const { pull_id, platform_id, module_id, snapshotSeq } = read
      const references = textArray(sightings.map((sighting) => sighting.reference_number))
      const hashes = textArray(sightings.map((sighting) => sighting.source_hash))
      // OFFSET 0: each found by its index; a plan made on an empty table would go through all records.
      const { rows } = await sql<Found>`
        SELECT s.position::int AS position, r.record_id
        FROM unnest(${references}::text[], ${hashes}::text[])
          WITH ORDINALITY AS s (reference, source_hash, position)
        CROSS JOIN LATERAL (
          SELECT record_id, source_hash, incomplete, missing_since, pushed_seq
          FROM records
          WHERE platform_id = ${platform_id} AND module_id = ${module_id}
            AND reference_number = s.reference
          OFFSET 0
        ) r
        WHERE r.source_hash = s.source_hash AND r.incomplete = 0 AND r.missing_since IS NULL
          AND r.pushed_seq <= ${snapshotSeq}
          AND (SELECT state FROM pulls WHERE pull_id = ${pull_id}) = 'running'
          AND EXISTS (
            SELECT 1 FROM modules m JOIN platforms p ON p.platform_id = m.platform_id
            WHERE m.module_id = ${module_id} AND m.registered_at IS NOT NULL AND p.status = 'active'
          )`.execute(reader)
      const ids: (number | null)[] = sightings.map(() => null)
      for (const { position, record_id } of rows) ids[position - 1] = record_id
      return ids
    },
  }
}
