import { type Kysely, sql } from 'kysely'

/** Searching, filtering and sorting records, and saved views. The indexes are filled in the background. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* By record_id within a module, which every index of SQLite ends with. */
  'CREATE INDEX records_of_module ON records (platform_id, module_id)',
  'CREATE INDEX records_incomplete ON records (record_id) WHERE incomplete = 1',

  /* How far the indexes follow the changes of records. */
  `CREATE TABLE search_feed (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,

  /*
   * Trigrams of each record's text (domain/search/search-text.ts) and the record_id as rowid; no text and no places in
   * it: what it finds is looked at again.
   */
  `CREATE VIRTUAL TABLE record_search USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
  )`,

  /* Merging in small steps instead (record-search.ts): a commit that merges holds pushes for tens of ms. */
  `INSERT INTO record_search (record_search, rank) VALUES ('automerge', 0)`,

  `CREATE TABLE indexed_fields (
    field_id INTEGER PRIMARY KEY AUTOINCREMENT,
    platform_id INTEGER NOT NULL,
    module_id INTEGER NOT NULL,
    field_key TEXT NOT NULL,
    is_numeric INTEGER NOT NULL,
    built_seq INTEGER NOT NULL,
    build_to INTEGER NOT NULL,
    is_leaving INTEGER NOT NULL
  ) STRICT`,
  'CREATE INDEX indexed_fields_of_module ON indexed_fields (module_id)',

  /* The key of each record's value (domain/record/sort-key.ts); null where it has none. */
  `CREATE TABLE record_index (
    platform_id INTEGER NOT NULL,
    field_id INTEGER NOT NULL,
    record_id INTEGER NOT NULL,
    sort_key TEXT,
    PRIMARY KEY (platform_id, field_id, record_id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX record_index_order ON record_index (platform_id, field_id, sort_key, record_id)',

  /* Whoever deletes a record, it leaves the indexes at once. */
  `CREATE TRIGGER records_leave_search AFTER DELETE ON records BEGIN
    DELETE FROM record_search WHERE rowid = OLD.record_id;
    DELETE FROM record_index WHERE platform_id = OLD.platform_id AND record_id = OLD.record_id
      AND field_id IN (SELECT field_id FROM indexed_fields WHERE module_id = OLD.module_id);
  END`,

  `CREATE TABLE saved_views (
    view_id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    owner TEXT NOT NULL,
    is_shared INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (owner, name)
  ) STRICT`,
]
