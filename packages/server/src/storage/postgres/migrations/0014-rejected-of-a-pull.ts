import { type Kysely, sql } from 'kysely'

/** What a pull met, newest first, without looking at what others did. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  `CREATE INDEX rejected_pushes_of_pull ON rejected_pushes (pull_id, at, rejected_push_id)
    WHERE pull_id IS NOT NULL`,
]
