import { type Kysely, sql } from 'kysely'

/** How often somebody has tried to get in, and an audit that only grows. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* Their numbers rise, so that the oldest are found where there are too many. */
  `CREATE TABLE guesses (
    guess_id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL UNIQUE,
    tries INTEGER NOT NULL,
    at TEXT NOT NULL
  ) STRICT`,

  /* Only retention takes entries away, and nothing changes one. */
  `CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'an entry of the audit cannot be changed'); END`,
]
