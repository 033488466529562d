/** Creates the tables of the shared description. */
import { randomUUID } from 'node:crypto'
import { type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Column, Index, LogicalType, Schema, Table } from './define-table.ts'
import { initialSchema } from './tables.ts'

/** The SQL of the schema description that differs between engines. */
export type SchemaDialect = {
  types: Record<LogicalType, string>
  /** Makes a primary key number the rows. */
  numberRows: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder
  /** Returns the options after the closing parenthesis of CREATE TABLE. */
  tableOptions: (table: Table) => string
}

/** Creates the tables and indexes of a schema description. */
async function createTables(
  database: Kysely<unknown>,
  schema: Schema,
  dialect: SchemaDialect,
): Promise<void> {
  for (const [name, table] of Object.entries(schema)) {
    await createTable(database, name, table, dialect)
    for (const [index, definition] of Object.entries(table.indexes ?? {})) {
      await createIndex(database, index, name, definition)
    }
  }
}

/** Constraints have the names that PostgreSQL itself would choose. */
async function createTable(
  database: Kysely<unknown>,
  name: string,
  table: Table,
  dialect: SchemaDialect,
): Promise<void> {
  const { primaryKey, unique } = table
  let create: CreateTableBuilder<string, string> = database.schema.createTable(name)
  for (const [column, { definition }] of Object.entries(table.columns)) {
    create = create.addColumn(column, sql.raw(dialect.types[definition.type]), (builder) =>
      defineColumn(builder, definition, dialect),
    )
  }
  if (primaryKey) create = create.addPrimaryKeyConstraint(`${name}_pkey`, [...primaryKey])
  if (unique) create = create.addUniqueConstraint(`${name}_${unique.join('_')}_key`, [...unique])
  await create.modifyEnd(sql.raw(dialect.tableOptions(table))).execute()
}

function defineColumn(
  builder: ColumnDefinitionBuilder,
  { type, check, references, ...definition }: Column<unknown>['definition'],
  { numberRows }: SchemaDialect,
): ColumnDefinitionBuilder {
  if (type === 'id') return numberRows(builder.primaryKey())
  let column = builder
  if (definition.isPrimaryKey) column = column.primaryKey()
  else if (!definition.isNullable) column = column.notNull()
  if (definition.isUnique) column = column.unique()
  if (definition.default !== undefined) column = column.defaultTo(definition.default)
  if (check !== undefined) column = column.check(sql.raw(check))
  if (references) {
    column = column.references(references.column)
    if (references.onDelete) column = column.onDelete(references.onDelete)
  }
  return column
}

async function createIndex(
  database: Kysely<unknown>,
  name: string,
  table: string,
  { on, unique, where }: Index,
): Promise<void> {
  const create = unique ? 'CREATE UNIQUE INDEX' : 'CREATE INDEX'
  const condition = where === undefined ? '' : ` WHERE ${where}`
  await sql.raw(`${create} ${name} ON ${table} (${on})${condition}`).execute(database)
}

/** What migration `0001-initial-schema` does on every engine: creates the tables, and the row of the Atom feed. */
export async function createInitialSchema(
  database: Kysely<unknown>,
  dialect: SchemaDialect,
): Promise<void> {
  await createTables(database, initialSchema, dialect)
  await sql`
    INSERT INTO alert_feed (feed_id, created_at, last_event_id)
    VALUES (${randomUUID()}, ${new Date().toISOString()}, 0)
  `.execute(database)
}
