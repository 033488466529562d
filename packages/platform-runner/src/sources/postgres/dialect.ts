import { type Dialect, ESCAPE } from '../dialect.ts'
import type { Column } from '../source.ts'

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

const asText = ({ name }: Column) => `(${quote(name)})::text`

export const postgresDialect: Dialect = {
  quote,
  parameter: (number) => `$${number}`,
  // Arrays and rows, which it writes in a way of its own, are understood as JSON.
  value: (column) =>
    column.kind === 'json' && !/^jsonb?$/.test(column.type)
      ? `to_json(${quote(column.name)})::text`
      : asText(column),
  contains: (column, parameter) => `${asText(column)} ILIKE ${parameter}::text ESCAPE '${ESCAPE}'`,
  key: (column) => `${asText(column)} COLLATE "C"`,
  mark: ({ name }) => quote(name),
  markText: asText,
  markOf: (parameter, { type }) => `${parameter}::text::${type}`,
  latestMark: ({ kind }) => {
    if (kind === 'instant') return 'now()'
    // Whatever zone its clock is in.
    return kind === 'datetime' ? `(now() AT TIME ZONE 'UTC' + interval '14 hours')` : null
  },
  sum: (column) => `sum(hashtext(${asText(column)})::bigint)`,
}
