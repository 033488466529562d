import type { SchemaDialect } from '../../shared/schema/create-tables.ts'

export const TEXT = 'text COLLATE "C"'

export const schemaDialect: SchemaDialect = {
  types: {
    id: 'bigint',
    integer: 'bigint',
    flag: 'smallint',
    boolean: 'boolean',
    text: TEXT,
    timestamp: 'timestamptz',
  },
  numberRows: (column) => column.generatedByDefaultAsIdentity(),
  tableOptions: () => '',
}
