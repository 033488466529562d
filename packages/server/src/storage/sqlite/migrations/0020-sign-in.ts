import { type Kysely, sql } from 'kysely'

/** Second factors, passkeys, invitations, and whose a token is. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  'ALTER TABLE operators ADD COLUMN disabled_at TEXT',
  'ALTER TABLE operators ADD COLUMN last_seen_at TEXT',
  'ALTER TABLE operators ADD COLUMN two_factor_enabled INTEGER NOT NULL DEFAULT 0',

  /* Better Auth's, but for the code that was taken last. */
  `CREATE TABLE operator_second_factors (
    id TEXT PRIMARY KEY,
    operator_id TEXT NOT NULL UNIQUE REFERENCES operators ON DELETE CASCADE,
    secret TEXT NOT NULL,
    backup_codes TEXT NOT NULL,
    verified INTEGER NOT NULL DEFAULT 0,
    failed_verifications INTEGER NOT NULL DEFAULT 0,
    locked_until TEXT,
    taken_code TEXT
  ) STRICT`,
  `CREATE TABLE operator_passkeys (
    id TEXT PRIMARY KEY,
    operator_id TEXT NOT NULL REFERENCES operators ON DELETE CASCADE,
    name TEXT,
    public_key TEXT NOT NULL,
    credential_id TEXT NOT NULL UNIQUE,
    counter INTEGER NOT NULL,
    device_type TEXT NOT NULL,
    backed_up INTEGER NOT NULL,
    transports TEXT,
    aaguid TEXT,
    created_at TEXT
  ) STRICT`,
  'CREATE INDEX operator_passkeys_of_operator ON operator_passkeys (operator_id)',

  `CREATE TABLE operator_invitations (
    invitation_id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('admin', 'operator', 'viewer')),
    token_hash TEXT NOT NULL UNIQUE,
    invited_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    accepted_at TEXT
  ) STRICT`,
  /* One that stands for each e-mail. */
  `CREATE UNIQUE INDEX operator_invitations_open ON operator_invitations (email)
    WHERE accepted_at IS NULL`,

  /* Whose it is; none where the command line made it. */
  'ALTER TABLE api_tokens ADD COLUMN operator_id TEXT REFERENCES operators ON DELETE SET NULL',
  "ALTER TABLE api_tokens ADD COLUMN created_by TEXT NOT NULL DEFAULT 'command line'",
  'CREATE INDEX api_tokens_of_operator ON api_tokens (operator_id)',

  'CREATE INDEX audit_by_actor ON audit (actor, audit_id)',
  'CREATE INDEX audit_by_action ON audit (action, audit_id)',
]
