/** Migrations of a later version that does not exist. They run on both engines. */
import { type Kysely, sql } from 'kysely'
import { migrations as currentOnPostgres } from '../../../src/storage/postgres/migrations/index.ts'
import type { Migrations } from '../../../src/storage/shared/schema/migrate.ts'
import { migrations as current } from '../../../src/storage/sqlite/migrations/index.ts'

export const EXTRA = ['0002-add-notes', '0003-add-labels']

/**
 * Adds a column that every record fills, and a table with a row per record.
 * @param onStep is called between the statements.
 */
export function withExtraMigrations(
  engine: 'SQLite' | 'PostgreSQL',
  onStep: (step: string, db: Kysely<unknown>) => Promise<void> = async () => undefined,
): Migrations {
  const run = (db: Kysely<unknown>, statement: string) => sql.raw(statement).execute(db)
  return {
    ...(engine === 'SQLite' ? current : currentOnPostgres),
    '0002-add-notes': {
      async up(db: Kysely<unknown>) {
        await run(db, 'ALTER TABLE records ADD COLUMN note TEXT')
        await onStep('column added', db)
        await run(db, `UPDATE records SET note = 'of ' || reference_number`)
        await onStep('column filled', db)
      },
    },
    '0003-add-labels': {
      async up(db: Kysely<unknown>) {
        await onStep('second migration', db)
        await run(db, 'CREATE TABLE record_labels (record_id BIGINT NOT NULL, label TEXT NOT NULL)')
        await run(db, `INSERT INTO record_labels SELECT record_id, 'new' FROM records`)
        await onStep('table filled', db)
      },
    },
  }
}
