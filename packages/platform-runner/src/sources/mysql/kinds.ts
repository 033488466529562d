import type { FieldPacket } from 'mysql2'
import type { Kind } from '../../records/kind.ts'

/** What the schema says of a column; `type` as in `tinyint(1)`. */
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
/** The character set of what is no text. */
const BINARY = 63

/** By the protocol's numbers of types. `tinyint(1)` and `bit(1)` are what these databases have for booleans. */
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
