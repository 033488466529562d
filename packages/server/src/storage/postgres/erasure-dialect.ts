import { sql } from 'kysely'
import type { HashReference } from '../../domain/record/erasure.ts'
import type { ErasureDialect } from '../shared/deletion/erasure-store.ts'
import { drawNumbers } from './commit-watermark.ts'

export function createErasureDialect(hashReference: HashReference): ErasureDialect {
  return {
    hashReference,
    contains: (column, text) => sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`,
    nextNumbers: drawNumbers,
    clearDataCopy: sql`, data_copy = '{}'`,
    async deleteText(db, { platform_id, record_id }) {
      await sql`
        DELETE FROM record_search WHERE platform_id = ${platform_id} AND record_id = ${record_id}
      `.execute(db)
    },
    // What it deletes is overwritten when VACUUM and later writes come to it; operators are told so.
    purge: async () => undefined,
  }
}
