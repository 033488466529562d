import { sql } from 'kysely'
import { isUnchanged } from '../../domain/pull/unchanged.ts'
import type { RecordStore } from '../port/record-store.ts'
import type { Databases } from '../shared/schema/databases.ts'

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
