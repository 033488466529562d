import { type Kysely, sql } from 'kysely'

/**
 * The first schema. Costly to change later, so settled here: exact JSON text for `data`, the two
 * hashes, the write sequence (`pushed_seq`, `change_seq`), identities that are never used again, keys
 * and indexes that begin with the platform.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* Sealed with the hub's secret; `purpose` is bound into the seal. */
  `CREATE TABLE secrets (
    secret_id INTEGER PRIMARY KEY AUTOINCREMENT,
    purpose TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT`,

  `CREATE TABLE platforms (
    platform_id INTEGER PRIMARY KEY AUTOINCREMENT,
    platform_name TEXT NOT NULL UNIQUE,
    display_title TEXT NOT NULL,
    platform_description TEXT NOT NULL,
    source_base_url TEXT NOT NULL,
    source_key_secret_id INTEGER NOT NULL REFERENCES secrets,
    status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
    manifest_fetched_at TEXT NOT NULL,
    last_pulled_at TEXT,
    last_error TEXT,
    rejected_bytes INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`,

  /* registered_at is null for a module that the manifest offers and nobody chose. */
  `CREATE TABLE modules (
    module_id INTEGER PRIMARY KEY AUTOINCREMENT,
    platform_id INTEGER NOT NULL REFERENCES platforms,
    record_type TEXT NOT NULL,
    module_name TEXT NOT NULL,
    description TEXT NOT NULL,
    fields TEXT NOT NULL,
    position INTEGER NOT NULL,
    registered_at TEXT,
    last_read_mark INTEGER,
    last_read_requested_at TEXT,
    last_read_finished_at TEXT,
    UNIQUE (platform_id, record_type)
  ) STRICT`,

  `CREATE TABLE hub_keys (
    hub_key_id INTEGER PRIMARY KEY AUTOINCREMENT,
    platform_id INTEGER NOT NULL REFERENCES platforms,
    key_hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    secret_id INTEGER NOT NULL REFERENCES secrets,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT,
    last_used_at TEXT
  ) STRICT`,
  'CREATE INDEX hub_keys_of_platform ON hub_keys (platform_id, hub_key_id)',

  /* One row: the last number given out. Orders pushes, pulls and changes; clocks do not. */
  'CREATE TABLE write_sequence (value INTEGER NOT NULL) STRICT',
  'INSERT INTO write_sequence (value) VALUES (0)',

  `CREATE TABLE records (
    record_id INTEGER PRIMARY KEY AUTOINCREMENT,
    platform_id INTEGER NOT NULL,
    module_id INTEGER NOT NULL,
    reference_number TEXT NOT NULL
      CHECK (length(CAST(reference_number AS BLOB)) BETWEEN 1 AND 512),
    full_name TEXT NOT NULL,
    data TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    source_hash TEXT,
    incomplete INTEGER NOT NULL CHECK (incomplete IN (0, 1)),
    missing_since TEXT,
    field_clocks TEXT,
    pushed_seq INTEGER NOT NULL,
    pulled_at TEXT,
    change_seq INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`,
  `CREATE UNIQUE INDEX records_identity
    ON records (platform_id, module_id, reference_number)`,
  'CREATE UNIQUE INDEX records_changes ON records (change_seq)',
  'CREATE INDEX records_changes_of_module ON records (platform_id, module_id, change_seq)',
  'CREATE INDEX records_name_of_module ON records (platform_id, module_id, full_name)',

  /* A change has one number, so it is the key; nothing is written for a first import. */
  `CREATE TABLE record_history (
    platform_id INTEGER NOT NULL,
    record_id INTEGER NOT NULL,
    change_seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    source TEXT NOT NULL,
    changes TEXT NOT NULL,
    pull_id INTEGER,
    request_id TEXT,
    PRIMARY KEY (platform_id, record_id, change_seq)
  ) STRICT, WITHOUT ROWID`,

  /* Kept in the transaction of the writes they count; a row a node, so that nodes do not queue. */
  `CREATE TABLE hourly_counters (
    day TEXT NOT NULL,
    hour TEXT NOT NULL,
    platform_id INTEGER NOT NULL,
    node TEXT NOT NULL,
    received_post INTEGER NOT NULL,
    received_patch INTEGER NOT NULL,
    received_pull INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    stale INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    PRIMARY KEY (day, hour, platform_id, node)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE module_counters (
    platform_id INTEGER NOT NULL,
    module_id INTEGER NOT NULL,
    node TEXT NOT NULL,
    records INTEGER NOT NULL,
    last_received_at TEXT,
    PRIMARY KEY (platform_id, module_id, node)
  ) STRICT, WITHOUT ROWID`,

  `CREATE TABLE pulls (
    pull_id INTEGER PRIMARY KEY AUTOINCREMENT,
    "trigger" TEXT NOT NULL,
    state TEXT NOT NULL,
    requested_by TEXT,
    requested_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    lease_owner TEXT,
    lease_until TEXT
  ) STRICT`,
  /* The lock: at most one pull that is queued or running. */
  `CREATE UNIQUE INDEX pulls_one_at_a_time ON pulls ((1))
    WHERE state IN ('queued', 'running')`,
  `CREATE TABLE pull_tasks (
    pull_id INTEGER NOT NULL REFERENCES pulls,
    task_number INTEGER NOT NULL,
    platform_id INTEGER NOT NULL,
    module_id INTEGER NOT NULL,
    state TEXT NOT NULL,
    total INTEGER,
    received INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL DEFAULT 0,
    updated INTEGER NOT NULL DEFAULT 0,
    unchanged INTEGER NOT NULL DEFAULT 0,
    stale INTEGER NOT NULL DEFAULT 0,
    rejected INTEGER NOT NULL DEFAULT 0,
    missing INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    warnings TEXT NOT NULL DEFAULT '[]',
    started_at TEXT,
    finished_at TEXT,
    PRIMARY KEY (pull_id, task_number)
  ) STRICT, WITHOUT ROWID`,

  `CREATE TABLE activity (
    activity_id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    level TEXT NOT NULL,
    kind TEXT NOT NULL,
    platform_id INTEGER,
    platform_name TEXT,
    record_id INTEGER,
    actor TEXT,
    message TEXT NOT NULL,
    details TEXT NOT NULL
  ) STRICT`,

  `CREATE TABLE audit (
    audit_id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT,
    address TEXT,
    details TEXT NOT NULL
  ) STRICT`,

  /* The same refusal of the same body is kept once, with a count. */
  `CREATE TABLE rejected_pushes (
    rejected_push_id INTEGER PRIMARY KEY AUTOINCREMENT,
    platform_id INTEGER NOT NULL REFERENCES platforms,
    fingerprint TEXT NOT NULL,
    first_at TEXT NOT NULL,
    at TEXT NOT NULL,
    count INTEGER NOT NULL,
    method TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    errors TEXT NOT NULL,
    body TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    pull_id INTEGER,
    replayed_at TEXT,
    UNIQUE (platform_id, fingerprint)
  ) STRICT`,
  'CREATE INDEX rejected_pushes_by_time ON rejected_pushes (platform_id, at, rejected_push_id)',

  `CREATE TABLE operators (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    email_verified INTEGER NOT NULL,
    image TEXT,
    role TEXT NOT NULL DEFAULT 'viewer' CHECK (role IN ('admin', 'operator', 'viewer')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE operator_sessions (
    id TEXT PRIMARY KEY,
    operator_id TEXT NOT NULL REFERENCES operators ON DELETE CASCADE,
    token TEXT NOT NULL UNIQUE,
    expires_at TEXT NOT NULL,
    ip_address TEXT,
    user_agent TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX operator_sessions_of_operator ON operator_sessions (operator_id)',
  `CREATE TABLE operator_accounts (
    id TEXT PRIMARY KEY,
    operator_id TEXT NOT NULL REFERENCES operators ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    access_token TEXT,
    refresh_token TEXT,
    id_token TEXT,
    access_token_expires_at TEXT,
    refresh_token_expires_at TEXT,
    scope TEXT,
    password TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX operator_accounts_of_operator ON operator_accounts (operator_id)',
  `CREATE TABLE operator_verifications (
    id TEXT PRIMARY KEY,
    identifier TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX operator_verifications_by_identifier ON operator_verifications (identifier)',
  `CREATE TABLE sign_in_limits (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    count INTEGER NOT NULL,
    last_request INTEGER NOT NULL
  ) STRICT`,

  `CREATE TABLE api_tokens (
    token_id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('admin', 'operator', 'viewer')),
    token_hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT,
    last_used_at TEXT
  ) STRICT`,

  /* What one process at a time may do, such as creating the first operator. */
  `CREATE TABLE claims (
    name TEXT PRIMARY KEY,
    until TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
]
