import { sql } from 'kysely'
import type { HashReference } from '../../domain/record/erasure.ts'
import type { ErasureDialect } from '../shared/deletion/erasure-store.ts'
import type { Checkpointer } from './checkpointer.ts'
import { drawNumbers } from './commit-watermark.ts'
import type { SqliteConnections } from './connection.ts'
import { forgetDroppedTexts } from './record-search.ts'

/** @param checkpointer null for a process that is no hub, whose log another one empties. */
export function createErasureDialect(
  connections: SqliteConnections,
  hashReference: HashReference,
  checkpointer: Checkpointer | null,
): ErasureDialect {
  return {
    hashReference,
    contains: (column, text) => sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`,
    nextNumbers: drawNumbers,
    clearDataCopy: sql``,
    async deleteText(db, { record_id }) {
      await sql`DELETE FROM record_search WHERE rowid = ${record_id}`.execute(db)
    },
    // Deleted bytes are overwritten in the file as they are (secure_delete); the log has older pages, and the
    // index of texts only notes which records are gone.
    async purge() {
      await forgetDroppedTexts(connections)
      await checkpointer?.emptyLog()
    },
  }
}
