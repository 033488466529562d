import { type Kysely, sql } from 'kysely'
import { createInitialSchema, type SchemaDialect } from '../../shared/schema/create-tables.ts'

/** Creates the tables of the shared description, and the tables, indexes and triggers that only SQLite has. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await createInitialSchema(database, schemaDialect)
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

  /* One row. The text index, which is a file of its own (search-file.ts), belongs to this database. */
  'CREATE TABLE database_identity (database_id TEXT NOT NULL) STRICT',
  'INSERT INTO database_identity (database_id) VALUES (lower(hex(randomblob(16))))',

  `CREATE TRIGGER records_delete_fields AFTER DELETE ON records BEGIN
    DELETE FROM record_index WHERE platform_id = OLD.platform_id AND record_id = OLD.record_id
      AND field_id IN (SELECT field_id FROM indexed_fields WHERE module_id = OLD.module_id);
  END`,

  `CREATE TRIGGER audit_reject_update BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'an entry of the audit log cannot be changed'); END`,
]

const schemaDialect: SchemaDialect = {
  types: {
    id: 'INTEGER',
    integer: 'INTEGER',
    flag: 'INTEGER',
    boolean: 'INTEGER',
    text: 'TEXT',
    timestamp: 'TEXT',
  },
  // AUTOINCREMENT: the id of a deleted row is not used again.
  numberRows: (column) => column.autoIncrement(),
  tableOptions: ({ primaryKey }) => (primaryKey ? 'STRICT, WITHOUT ROWID' : 'STRICT'),
}
