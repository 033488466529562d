/** The rows of the write path as its decisions take them, the same on every engine. */
import type { ErasureMode } from '@recordhub/protocol'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import type { FieldClocks } from '../../../domain/record/field-clock.ts'
import type { LastRead, RecordState } from '../../../domain/record/record.ts'
import type { WritePosition } from '../../../domain/record/replay.ts'
import type { ReplayWrite, WriteRejection } from '../../port/record-store.ts'
import {
  integerOf,
  nullableIntegerOf,
  nullableTextOf,
  type Row,
  textOf,
} from '../schema/columns.ts'

export type StoredRecord = RecordState & { record_id: number }

/** The columns that tell whether a read brought anything new. */
export type KnownRecord = Pick<
  StoredRecord,
  'record_id' | 'source_hash' | 'incomplete' | 'missing_since' | 'pushed_seq'
>

/** The platform that a hub key opens. */
export type KeyGate = { platform_id: number; platform_name: string; display_title: string }

/** What allows a replay, and where it stands; null where it counts as if it came now. */
export type ReplayGate = { platform: KeyGate; place: WritePosition | null }

/** A registered module, and when it was last read whole. */
export type ModuleGate = {
  platform_id: number
  module_id: number
  record_type: string
  module_name: string
  platform_name: string
  lastRead: LastRead | null
  /** Whether any of its records was erased: only then is a reference looked for among them. */
  hasTombstones: boolean
}

/** What keeps an erased record away. */
export type Tombstone = { record_id: number; mode: ErasureMode }

export function toKeyGate(row: Row): KeyGate {
  return {
    platform_id: integerOf(row, 'platform_id'),
    platform_name: textOf(row, 'platform_name'),
    display_title: textOf(row, 'display_title'),
  }
}

export function toModuleGate(row: Row): ModuleGate {
  const mark = nullableIntegerOf(row, 'last_read_mark')
  const requested_at = nullableTextOf(row, 'last_read_requested_at')
  return {
    platform_id: integerOf(row, 'platform_id'),
    module_id: integerOf(row, 'module_id'),
    record_type: textOf(row, 'record_type'),
    module_name: textOf(row, 'module_name'),
    platform_name: textOf(row, 'platform_name'),
    hasTombstones: row['has_tombstones'] === 1,
    lastRead: mark === null || requested_at === null ? null : { mark, requested_at },
  }
}

/** The gate of a read's module, from a row of the module, its platform's status and its pull's state. */
export function toGateOfRead(row: Row | undefined): ModuleGate | WriteRejection {
  if (!row) return 'module_not_registered'
  if (row['pull_state'] !== 'running') return 'pull_not_running'
  if (row['status'] !== 'active' || row['registered_at'] === null) return 'module_not_registered'
  return toModuleGate(row)
}

/** The gate of a replay, from a row of its rejected push and of the platform. */
export function toGateOfReplay(
  row: Row | undefined,
  { platform_id, replay }: ReplayWrite,
): ReplayGate | WriteRejection {
  if (!row || integerOf(row, 'platform_id') !== platform_id) return 'not_found'
  const insists = replay.overwrite && row['replay_outcome'] === 'stale'
  if (row['replayed_at'] !== null && !insists) return 'already_replayed'
  if (row['status'] !== 'active') return 'platform_inactive'
  const place = { seq: integerOf(row, 'place_seq'), at: textOf(row, 'place_at') }
  return { platform: toKeyGate(row), place: replay.overwrite ? null : place }
}

/** A key's use is noted once a minute: more would cost each push a write. */
export function isUseToNote(row: Row, at: string): boolean {
  return nullableTextOf(row, 'last_used_at')?.slice(0, 16) !== at.slice(0, 16)
}

export function toKnownRecord(row: Row): KnownRecord {
  return {
    record_id: integerOf(row, 'record_id'),
    source_hash: nullableTextOf(row, 'source_hash'),
    incomplete: row['incomplete'] === 1,
    missing_since: nullableTextOf(row, 'missing_since'),
    pushed_seq: integerOf(row, 'pushed_seq'),
  }
}

export function toStoredRecord(row: Row): StoredRecord {
  return {
    ...toKnownRecord(row),
    full_name: textOf(row, 'full_name'),
    data: textOf(row, 'data'),
    field_clocks: parseClocks(nullableTextOf(row, 'field_clocks')),
    pushed_at: nullableTextOf(row, 'pushed_at'),
    pulled_at: nullableTextOf(row, 'pulled_at'),
  }
}

/**
 * The id of the record that a pulled element stands for though nothing of it is stored any more: the one
 * that is about to be erased, or what anonymising left. Null where there is none.
 */
export function recordLeftOf(
  { mode, record_id }: Tombstone,
  known: { record_id: number } | null,
): number | null {
  return known?.record_id ?? (mode === 'anonymise' ? record_id : null)
}

export function toTombstone(row: Row): Tombstone {
  const mode = textOf(row, 'mode') === 'erase' ? 'erase' : 'anonymise'
  return { record_id: integerOf(row, 'record_id'), mode }
}

export function clocksText(clocks: FieldClocks | null): string | null {
  return clocks === null ? null : JSON.stringify(clocks)
}

function parseClocks(text: string | null): FieldClocks | null {
  if (text === null) return null
  const clocks: FieldClocks = {}
  for (const [path, at] of Object.entries(Object(parseLossless(text)))) clocks[path] = String(at)
  return clocks
}
