import type { Kind } from '../../records/kind.ts'

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

/** By the name of the type in `pg_type`; what is not known is sent as the text that the server writes. */
export function kindOf(name: string): Kind {
  return Object.hasOwn(KINDS, name) ? (KINDS[name] ?? 'text') : 'text'
}
