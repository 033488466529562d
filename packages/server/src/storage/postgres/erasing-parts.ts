import { sql } from 'kysely'
import type { HashReference } from '../../domain/erasure.ts'
import type { ErasingParts } from '../portable/erase-record.ts'

export function createErasingParts(hashReference: HashReference): ErasingParts {
  return {
    hashReference,
    contains: (column, text) => sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`,
    async nextNumbers(db, count) {
      const { rows } = await sql<{ number: number }>`
        SELECT nextval('write_sequence') AS number FROM generate_series(1, ${count}::int)`.execute(
        db,
      )
      return rows.map(({ number }) => number)
    },
    blankCopy: sql`, data_copy = '{}'`,
    // What it deletes is overwritten when VACUUM and later writes come to it; operators are told so.
    purge: async () => undefined,
  }
}
