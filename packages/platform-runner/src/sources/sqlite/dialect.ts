import type { Kind } from '../../records/kind.ts'
import { type Dialect, ESCAPE } from '../dialect.ts'

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
/** The prefix of numbers, which differ from equal texts. */
const NUMBER = 'n'

/** A function that each connection has, since SQLite has no hash function. */
export const HASH = 'recordhub_hash'

export const sqliteDialect: Dialect = {
  quote,
  parameter: (number) => `?${number}`,
  value: ({ name }) => quote(name),
  contains: ({ name }, parameter) =>
    `CAST(${quote(name)} AS TEXT) LIKE ${parameter} ESCAPE '${ESCAPE}'`,
  key: ({ name }) => `CAST(${quote(name)} AS TEXT) COLLATE BINARY`,
  changeTime: ({ name }) => quote(name),
  changeTimeText: ({ name }) =>
    `CASE typeof(${quote(name)}) WHEN 'text' THEN 't' ELSE '${NUMBER}' END || ${quote(name)}`,
  // The cast applies to numbers only, since affinity must not convert them to text.
  changeTimeParameter: (parameter) =>
    `(CASE substr(${parameter}, 1, 1) WHEN '${NUMBER}' THEN CAST(substr(${parameter}, 2) AS NUMERIC) ELSE substr(${parameter}, 2) END)`,
  // Numbers are ordered before texts.
  latestChangeTime: () => `strftime('%Y-%m-%d %H:%M:%S', 'now', '+14 hours')`,
  sum: (columns) =>
    `sum(${HASH}(${columns.map(({ name }) => `quote(${quote(name)})`).join(" || ' ' || ")}))`,
}

/** Derives the kind from the declared type, by SQLite's rules of type affinity. */
export function kindOf(declared: string): Kind {
  const type = declared.toUpperCase()
  if (type === '') return 'any'
  if (type.includes('BOOL')) return 'boolean'
  if (type.includes('JSON')) return 'json'
  if (type.includes('BLOB') || type.includes('BINARY')) return 'binary'
  if (type.includes('DATETIME') || type.includes('TIMESTAMP')) return 'datetime'
  if (type.includes('DATE')) return 'date'
  if (/CHAR|CLOB|TEXT/.test(type)) return 'text'
  return /INT|REAL|FLOA|DOUB|NUM|DEC/.test(type) ? 'number' : 'any'
}
