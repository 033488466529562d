/**
 * The storage of the floors: the tables and indexes of the hub, written by the fewest statements that a correct hub could
 * use, with the same durability. It has no history, counters, activity, authorization or locks.
 */
import type { Insertable } from 'kysely'
import type { Tables } from '../../packages/server/src/storage/shared/schema/tables.ts'
import type { Engine } from '../engines.ts'

export type FloorRecord = {
  reference_number: string
  full_name: string
  /** The UTF-8 of the JSON. */
  data: Uint8Array
  /** Null for a push. */
  fingerprint: string | null
}

export type FloorStore = {
  /** Inserts records in one durable commit. */
  insert: (records: readonly FloorRecord[]) => Promise<void>
  /** The fingerprints of the records with these references; null for those that are not stored. */
  findFingerprints: (references: readonly string[]) => Promise<(string | null)[]>
  /** Adds all records to the text index, as many in one commit as the hub. Returns their number. */
  indexAll: () => Promise<number>
  close: () => Promise<void>
}

/** The environment of a hub on this database: `HUB_DATA_DIR`, and `DATABASE_URL` on PostgreSQL. */
export const DATABASE = {
  url: process.env['DATABASE_URL'] ?? '',
  dataDir: process.env['HUB_DATA_DIR'] ?? '',
}
export const ENGINE: Engine = DATABASE.url === '' ? 'SQLite' : 'PostgreSQL'
/** The most records of one step of the index, as in the hub. */
export const INDEX_STEP = 2000

/** Lacks no column that must be inserted. */
export type FloorRow = Omit<Insertable<Tables['records']>, 'data' | 'record_id'> & {
  record_id: number
  data: Uint8Array
}

/** @param number both the id and the change number of the record. */
export function toRow(record: FloorRecord, number: number, at: string): FloorRow {
  const isPush = record.fingerprint === null
  return {
    record_id: number,
    platform_id: 1,
    module_id: 1,
    reference_number: record.reference_number,
    full_name: record.full_name,
    data: record.data,
    fingerprint: record.fingerprint,
    incomplete: 0,
    missing_since: null,
    field_clocks: null,
    pushed_seq: isPush ? number : 0,
    pushed_at: isPush ? at : null,
    pulled_at: isPush ? null : at,
    change_seq: number,
    created_at: at,
    updated_at: at,
  }
}
