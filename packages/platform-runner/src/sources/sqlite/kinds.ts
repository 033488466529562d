import type { Kind } from '../../records/kind.ts'

/** By the declared type, with SQLite's own rules for what it may be called (its documentation of datatypes). */
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
