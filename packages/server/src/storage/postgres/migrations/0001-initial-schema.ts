import { type Kysely, sql } from 'kysely'
import { createInitialSchema, type SchemaDialect } from '../../shared/schema/create-tables.ts'
import { FIELD_INDEX_LOCK, TEXT_INDEX_LOCK } from '../locks.ts'

/** Creates the tables of the shared description, and the tables, indexes and triggers that only PostgreSQL has. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await createInitialSchema(database, schemaDialect)
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

/** In characters, of four bytes at most: an index entry is limited to a third of a page. */
export const NAME_INDEX_LENGTH = 256

/**
 * The condition is true for every record, and only lists contain it. So the planner never uses these indexes to find
 * a single record: while a table is empty it considers all indexes equal, and it keeps that plan as the table grows.
 */
const LIST_INDEXES = [
  ['records_changes', 'change_seq'],
  ['records_changes_of_module', 'platform_id, module_id, change_seq'],
  ['records_name_of_module', `platform_id, module_id, substr(full_name, 1, ${NAME_INDEX_LENGTH})`],
  ['records_of_module', 'platform_id, module_id, record_id'],
].map(([name, on]) => `CREATE INDEX ${name} ON records (${on}) WHERE pushed_seq >= 0`)

/**
 * The function `record_json`, with which the SQL views parse the text of a record. `jsonb` rejects some valid JSON. Then
 * U+0000 and lone surrogates become U+FFFD, and numbers beyond the range of `numeric` become strings
 * (https://www.postgresql.org/docs/current/datatype-json.html). It returns null for what `jsonb` still rejects, such as
 * JSON that is nested too deeply.
 *
 * It uses only what `pg_catalog` contains, because it runs with the privileges and the search path of the reader.
 */
const CREATE_RECORD_JSON = String.raw`
CREATE FUNCTION record_json(data text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  -- JSON contains no control characters, so they can stand for escaped backslashes and escaped quotes.
  backslash CONSTANT text := chr(1);
  quote CONSTANT text := chr(2);
  repaired text;
BEGIN
  RETURN data::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  BEGIN
    repaired := replace(replace(data, '\\', backslash), '\"', quote);
    repaired := regexp_replace(repaired, '\\u(0000|[dD][89a-fA-F]..)', chr(65533), 'g');
    SELECT string_agg(CASE
        WHEN length(substring(part[2] FROM '^-?(\d+)')) + exponent > 131072
          OR length(coalesce(substring(part[2] FROM '\.(\d+)'), '')) - exponent > 16383
        THEN '"' || part[2] || '"'
        ELSE coalesce(part[1], part[2])
      END, '' ORDER BY position)
    INTO repaired
    FROM regexp_matches(repaired, '("[^"]*"|[^"0-9-]+)|(-?\d[\d.eE+-]*)', 'g')
      WITH ORDINALITY AS parts (part, position)
    CROSS JOIN LATERAL (
      SELECT coalesce(substring(part[2] FROM '[eE](.+)$')::numeric, 0) AS exponent
    ) number;
    RETURN replace(replace(repaired, quote, '\"'), backslash, '\\')::jsonb;
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN NULL;
  END;
END $$`

const STATEMENTS = [
  'CREATE SEQUENCE write_sequence',

  /* With the id, so that a scan of a module reads the index and not the records. */
  `ALTER TABLE records DROP CONSTRAINT records_pkey,
    ADD CONSTRAINT records_identity PRIMARY KEY (platform_id, module_id, reference_number)
      INCLUDE (record_id)`,
  /* Not unique: the identity sequence gives each number once. */
  'CREATE INDEX records_ids ON records (record_id)',
  ...LIST_INDEXES,
  CREATE_RECORD_JSON,

  /* Each record's tokens (domain/search/search-tokens.ts), without positions. */
  `CREATE TABLE record_search (
    platform_id bigint NOT NULL,
    record_id bigint NOT NULL,
    tokens tsvector NOT NULL,
    PRIMARY KEY (platform_id, record_id)
  )`,
  /* Merging 16 MB of new entries at a time takes less time per record than the default of 4 MB. */
  `CREATE INDEX record_search_tokens ON record_search USING gin (tokens)
    WITH (gin_pending_list_limit = 16384)`,
  /* A server can be built without lz4. Then these columns use pglz, which takes more processor time. */
  `DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_settings
      WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals))
    THEN
      ALTER TABLE records ALTER COLUMN data SET COMPRESSION lz4;
      ALTER TABLE record_history ALTER COLUMN changes SET COMPRESSION lz4;
      ALTER TABLE rejected_pushes ALTER COLUMN body SET COMPRESSION lz4;
      ALTER TABLE record_search ALTER COLUMN tokens SET COMPRESSION lz4;
    END IF;
  END $$`,

  /* The locks prevent an indexing step in progress from adding a deleted record afterwards. */
  `CREATE FUNCTION delete_records_from_search() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(${TEXT_INDEX_LOCK});
    PERFORM pg_advisory_xact_lock_shared(${FIELD_INDEX_LOCK});
    DELETE FROM record_search s USING deleted d
      WHERE s.platform_id = d.platform_id AND s.record_id = d.record_id;
    DELETE FROM record_index i USING deleted d, indexed_fields f
      WHERE f.module_id = d.module_id AND i.platform_id = d.platform_id
        AND i.field_id = f.field_id AND i.record_id = d.record_id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER records_delete_search AFTER DELETE ON records
    REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION delete_records_from_search()`,

  `CREATE FUNCTION reject_audit_update() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'an entry of the audit log cannot be changed'; END
  $$`,
  `CREATE TRIGGER audit_reject_update BEFORE UPDATE ON audit
    FOR EACH ROW EXECUTE FUNCTION reject_audit_update()`,
]

const schemaDialect: SchemaDialect = {
  types: {
    id: 'bigint',
    integer: 'bigint',
    flag: 'smallint',
    boolean: 'boolean',
    text: 'text COLLATE "C"',
    timestamp: 'timestamptz',
  },
  numberRows: (column) => column.generatedByDefaultAsIdentity(),
  tableOptions: () => '',
}
