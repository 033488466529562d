import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* When a pull's process last renewed its lease. */
  'ALTER TABLE pulls ADD COLUMN renewed_at text COLLATE "C"',
  /* How many records the module had when the pull was planned. */
  'ALTER TABLE pull_tasks ADD COLUMN expected bigint',
  /* What an operator has switched on, such as a pause of the schedule. */
  `CREATE TABLE switches (
    name text COLLATE "C" PRIMARY KEY,
    since text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL
  )`,
]
