import { type Kysely, sql } from 'kysely'
import { createTables } from '../../shared/schema/create-tables.ts'
import { initialSchema } from '../../shared/schema/tables.ts'
import { schemaDialect } from './schema-dialect.ts'

/** Creates the tables of the shared description, and the tables, indexes and triggers that only SQLite has. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await createTables(database, initialSchema, schemaDialect)
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* One row: the last number allocated. */
  'CREATE TABLE write_sequence (value INTEGER NOT NULL) STRICT',
  'INSERT INTO write_sequence (value) VALUES (0)',

  'CREATE UNIQUE INDEX records_identity ON records (platform_id, module_id, reference_number)',
  'CREATE UNIQUE INDEX records_changes ON records (change_seq)',
  'CREATE INDEX records_changes_of_module ON records (platform_id, module_id, change_seq)',
  'CREATE INDEX records_name_of_module ON records (platform_id, module_id, full_name)',
  /* In the order of record_id, with which every index of SQLite ends. */
  'CREATE INDEX records_of_module ON records (platform_id, module_id)',

  /*
   * The trigrams of each record's text (domain/search/search-text.ts), with the record_id as rowid. It contains
   * neither the text nor positions in it: matches are checked against the record.
   */
  `CREATE VIRTUAL TABLE record_search USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
  )`,
  /* record-search.ts merges in small steps instead: a commit that merges delays pushes by tens of ms. */
  `INSERT INTO record_search (record_search, rank) VALUES ('automerge', 0)`,

  `CREATE TRIGGER records_delete_search AFTER DELETE ON records BEGIN
    DELETE FROM record_search WHERE rowid = OLD.record_id;
    DELETE FROM record_index WHERE platform_id = OLD.platform_id AND record_id = OLD.record_id
      AND field_id IN (SELECT field_id FROM indexed_fields WHERE module_id = OLD.module_id);
  END`,

  `CREATE TRIGGER audit_reject_update BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'an entry of the audit log cannot be changed'); END`,
]
