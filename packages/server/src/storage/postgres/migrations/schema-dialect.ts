import type { SchemaDialect } from '../../shared/schema/create-tables.ts'

export const schemaDialect: SchemaDialect = {
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
