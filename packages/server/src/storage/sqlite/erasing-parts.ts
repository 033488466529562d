import { sql } from 'kysely'
import type { HashReference } from '../../domain/erasure.ts'
import type { ErasingParts } from '../portable/erase-record.ts'
import type { Checkpointer } from './checkpointer.ts'
import { drawNumbers } from './settled-sequence.ts'

/** @param checkpointer null for a process that is no hub, whose log another one empties. */
export function createErasingParts(
  hashReference: HashReference,
  checkpointer: Checkpointer | null,
): ErasingParts {
  return {
    hashReference,
    contains: (column, text) => sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`,
    nextNumbers: drawNumbers,
    blankCopy: sql``,
    // Deleted bytes are overwritten in the file as they are (secure_delete); the log has older pages.
    purge: async () => checkpointer?.emptyLog(),
  }
}
