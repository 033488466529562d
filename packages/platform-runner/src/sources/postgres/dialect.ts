import type { Kind } from '../../records/kind.ts'
import { type Dialect, ESCAPE } from '../dialect.ts'
import type { Column } from '../source.ts'

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

const asText = ({ name }: Column) => `(${quote(name)})::text`

export const postgresDialect: Dialect = {
  quote,
  parameter: (number) => `$${number}`,
  // Arrays and rows are converted to JSON, since their text format is specific to PostgreSQL.
  value: (column) =>
    column.kind === 'json' && !/^jsonb?$/.test(column.type)
      ? `to_json(${quote(column.name)})::text`
      : asText(column),
  contains: (column, parameter) => `${asText(column)} ILIKE ${parameter}::text ESCAPE '${ESCAPE}'`,
  key: (column) => `${asText(column)} COLLATE "C"`,
  changeTime: ({ name }) => quote(name),
  changeTimeText: asText,
  changeTimeParameter: (parameter, { type }) => `${parameter}::text::${type}`,
  latestChangeTime: ({ kind }) => {
    if (kind === 'instant') return 'now()'
    // The time zone of the writer is unknown; the easternmost is UTC+14.
    return kind === 'datetime' ? `(now() AT TIME ZONE 'UTC' + interval '14 hours')` : null
  },
  sum: (columns) => `sum(hashtextextended(concat_ws(' ', ${columns.map(asText).join(', ')}), 0))`,
}

const KINDS: Record<string, Kind> = {
  int2: 'number',
  int4: 'number',
  int8: 'number',
  oid: 'number',
  float4: 'number',
  float8: 'number',
  numeric: 'number',
  bool: 'boolean',
  date: 'date',
  timestamp: 'datetime',
  timestamptz: 'instant',
  json: 'json',
  jsonb: 'json',
  bytea: 'binary',
}

/** Derives the kind from the name in `pg_type`; unknown types are sent as text. */
export function kindOf(name: string): Kind {
  return Object.hasOwn(KINDS, name) ? (KINDS[name] ?? 'text') : 'text'
}
