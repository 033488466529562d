import type { FieldPacket } from 'mysql2'
import type { Kind } from '../../records/kind.ts'
import { type Dialect, ESCAPE } from '../dialect.ts'
import type { Column } from '../source.ts'

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
const asText = (expression: string) => `CONVERT(CAST(${expression} AS CHAR) USING utf8mb4)`

/** The type to which a parameter is cast for a comparison with a column; null for texts. */
function castOf({ kind }: Column): string | null {
  if (kind === 'datetime' || kind === 'instant') return 'DATETIME(6)'
  if (kind === 'number') return 'DECIMAL(65,10)'
  return kind === 'date' ? 'DATE' : null
}

export const mysqlDialect: Dialect = {
  quote,
  // Variables, since the query of the owner may contain a `?`.
  parameter: (number) => `@recordhub_${number}`,
  value: ({ name }) => quote(name),
  contains: ({ name }, parameter) =>
    `${asText(quote(name))} COLLATE utf8mb4_unicode_ci LIKE ${parameter} ESCAPE '${ESCAPE}'`,
  key: ({ name }) => `${asText(quote(name))} COLLATE utf8mb4_bin`,
  changeTime: (column) =>
    castOf(column) ? quote(column.name) : `${asText(quote(column.name))} COLLATE utf8mb4_bin`,
  changeTimeText: ({ name }) => `CAST(${quote(name)} AS CHAR)`,
  changeTimeParameter: (parameter, column) => {
    const cast = castOf(column)
    return cast ? `CAST(${parameter} AS ${cast})` : `${asText(parameter)} COLLATE utf8mb4_bin`
  },
  latestChangeTime: ({ kind }) => {
    if (kind === 'instant') return 'NOW(6)'
    // The time zone of the writer is unknown; the easternmost is UTC+14, and the connection uses UTC.
    return kind === 'datetime' ? 'NOW(6) + INTERVAL 14 HOUR' : null
  },
  sum: (columns) =>
    `SUM(CRC32(CONCAT_WS(' ', ${columns.map(({ name }) => `CAST(${quote(name)} AS CHAR)`).join(', ')})))`,
}

/** A column in the schema; `type` as in `tinyint(1)`. */
export type Described = { type: string; comment: string; isRequired: boolean }

const KINDS: Record<number, Kind> = {
  0: 'number', // DECIMAL
  1: 'number', // TINY
  2: 'number', // SHORT
  3: 'number', // LONG
  4: 'number', // FLOAT
  5: 'number', // DOUBLE
  7: 'instant', // TIMESTAMP
  8: 'number', // LONGLONG
  9: 'number', // INT24
  10: 'date', // DATE
  12: 'datetime', // DATETIME
  13: 'number', // YEAR
  16: 'number', // BIT
  245: 'json', // JSON
  246: 'number', // NEWDECIMAL
  255: 'binary', // GEOMETRY
}
const TEXT_OR_BYTES = new Set([15, 249, 250, 251, 252, 253, 254])
/** The character set of binary columns. */
const BINARY = 63

/** Derives the kind from the type number of the protocol. `tinyint(1)` and `bit(1)` are booleans. */
export function kindOf(
  { columnType, characterSet }: FieldPacket,
  described: Described | null,
): Kind {
  if (described && /^(?:tinyint\(1\)|bit\(1\))/.test(described.type)) return 'boolean'
  if (described?.type === 'json') return 'json'
  if (columnType === undefined) return 'text'
  if (TEXT_OR_BYTES.has(columnType) && characterSet === BINARY) return 'binary'
  return KINDS[columnType] ?? 'text'
}
