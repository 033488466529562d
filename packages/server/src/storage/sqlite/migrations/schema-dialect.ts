import type { SchemaDialect } from '../../shared/schema/create-tables.ts'

export const schemaDialect: SchemaDialect = {
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
