import { sql } from 'kysely'
import type { HashReference } from '../../domain/erasure.ts'
import type { ErasingParts } from '../portable/erase-record.ts'
import type { Checkpointer } from './checkpointer.ts'

/** @param checkpointer null for a process that is no hub, whose log another one empties. */
export function createErasingParts(
  hashReference: HashReference,
  checkpointer: Checkpointer | null,
): ErasingParts {
  return {
    hashReference,
    contains: (column, text) => sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`,
    async nextNumbers(db, count) {
      const { rows } = await sql<{ value: number }>`
        UPDATE write_sequence SET value = value + ${count} RETURNING value`.execute(db)
      const last = rows[0]?.value ?? 0
      return Array.from({ length: count }, (_, index) => last - count + 1 + index)
    },
    blankCopy: sql``,
    // Deleted bytes are overwritten in the file as they are (secure_delete); the log has older pages.
    purge: async () => checkpointer?.emptyLog(),
  }
}
