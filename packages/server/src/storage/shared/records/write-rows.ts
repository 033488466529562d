/** Converts the rows of the write path to objects, and objects to column values, the same on both engines. */
import type { ErasureMode } from '@recordhub/protocol'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import type { FieldClocks } from '../../../domain/record/field-clocks.ts'
import type { LastRead, RecordChange, RecordState } from '../../../domain/record/record.ts'
import type { WritePosition } from '../../../domain/record/replay.ts'
import type { Hold } from '../../../domain/revert/hold.ts'
import { isSameMinute } from '../../../lib/time/clock.ts'
import type { ReplayWrite, WriteRejection } from '../../port/record-store.ts'
import {
  integerOf,
  nullableIntegerOf,
  nullableTextOf,
  type Row,
  textOf,
} from '../schema/databases.ts'
import { HELD } from '../schema/pull-tables.ts'

/** The columns by which a record counts in the sums of its module (`domain/record/digest-sums.ts`). */
export type DigestColumns = { reference_hash: number | null; version_hash: number | null }

export type StoredRecord = RecordState & DigestColumns & { record_id: number; change_seq: number }

/** The columns that decide whether a pulled record is unchanged. */
export type KnownRecord = Pick<
  StoredRecord,
  'record_id' | 'fingerprint' | 'incomplete' | 'missing_since' | 'pushed_seq'
>

/**
 * The data of stored records that one transaction loads, in bytes, unless a single record is larger. A platform that
 * removes the photos from its records sends small elements for large records.
 */
export const MAX_LOADED_BYTES = 4 * 1024 * 1024

/** The platform of a hub key. */
export type KeyPlatform = { platform_id: number; platform_name: string; display_title: string }

/** A rejected push or record that may be replayed. */
export type ReplayableRejection = {
  platform: KeyPlatform
  /** The position of the replay in the order of writes; null for the end. */
  position: WritePosition | null
  /** Whether it is a push that was accepted, and of which holds have kept values out. */
  isHeld: boolean
  /** The modules of the platform that the running pull is reading. */
  modulesBeingRead: ReadonlySet<number>
}

/** A registered module of an active platform, and its last complete read. */
export type WritableModule = {
  platform_id: number
  module_id: number
  record_type: string
  module_name: string
  /** The first name of its platform, by which tombstones identify records. */
  first_name: string
  lastRead: LastRead | null
  /** Whether any of its records was erased. Tombstones are looked up only if so. */
  hasTombstones: boolean
  /** Whether any of its records has had a version. Only then do pushed records get the hash of their references. */
  usesVersions: boolean
}

/** Marks a record as erased, so that it is not stored again. `missing_since`: of its anonymised remains. */
export type Tombstone = { record_id: number; mode: ErasureMode; missing_since: string | null }

export function toKeyPlatform(row: Row): KeyPlatform {
  return {
    platform_id: integerOf(row, 'platform_id'),
    platform_name: textOf(row, 'platform_name'),
    display_title: textOf(row, 'display_title'),
  }
}

export function toWritableModule(row: Row): WritableModule {
  const snapshotSeq = nullableIntegerOf(row, 'last_read_snapshot_seq')
  const requested_at = nullableTextOf(row, 'last_read_requested_at')
  return {
    platform_id: integerOf(row, 'platform_id'),
    module_id: integerOf(row, 'module_id'),
    record_type: textOf(row, 'record_type'),
    module_name: textOf(row, 'module_name'),
    first_name: textOf(row, 'first_name'),
    hasTombstones: row['has_tombstones'] === 1,
    usesVersions: row['uses_versions'] === 1,
    lastRead: snapshotSeq === null || requested_at === null ? null : { snapshotSeq, requested_at },
  }
}

/** Whether a pull may write to a module: from a row of the module, the platform's status and the pull's state. */
export function toModuleOfRead(row: Row | undefined): WritableModule | WriteRejection {
  if (!row) return 'module_not_registered'
  if (row['pull_state'] !== 'running') return 'pull_not_running'
  if (row['status'] !== 'active' || row['registered_at'] === null) return 'module_not_registered'
  return toWritableModule(row)
}

/** Whether a rejected push may be replayed: from a row of the rejected push and its platform. */
export function toReplayableRejection(
  row: Row | undefined,
  { platform_id, replay }: ReplayWrite,
): ReplayableRejection | WriteRejection {
  if (!row || integerOf(row, 'platform_id') !== platform_id) return 'not_found'
  const isOverwrite = replay.overwrite && row['replay_outcome'] === 'stale'
  if (row['replayed_at'] !== null && !isOverwrite) return 'already_replayed'
  if (row['status'] !== 'active') return 'platform_inactive'
  const position = { seq: integerOf(row, 'position_seq'), at: textOf(row, 'position_at') }
  const beingRead = nullableTextOf(row, 'modules_being_read')?.split(',') ?? []
  return {
    platform: toKeyPlatform(row),
    position: replay.overwrite ? null : position,
    isHeld: row['code'] === HELD,
    modulesBeingRead: new Set(beingRead.map(Number)),
  }
}

/** Whether the time of a key's last use has to be updated, which happens once per minute. */
export function isKeyUseOutdated(row: Row, at: string): boolean {
  const lastUse = nullableTextOf(row, 'last_used_at')
  return lastUse === null || !isSameMinute(lastUse, at)
}

export function toKnownRecord(row: Row): KnownRecord {
  return {
    record_id: integerOf(row, 'record_id'),
    fingerprint: nullableTextOf(row, 'fingerprint'),
    incomplete: row['incomplete'] === 1,
    missing_since: nullableTextOf(row, 'missing_since'),
    pushed_seq: integerOf(row, 'pushed_seq'),
  }
}

export function toDigestColumns(row: Row): DigestColumns {
  return {
    reference_hash: nullableIntegerOf(row, 'reference_hash'),
    version_hash: nullableIntegerOf(row, 'version_hash'),
  }
}

export function toStoredRecord(row: Row): StoredRecord {
  return {
    ...toKnownRecord(row),
    full_name: textOf(row, 'full_name'),
    data: textOf(row, 'data'),
    version: nullableTextOf(row, 'version'),
    ...toDigestColumns(row),
    field_clocks: parseClocks(nullableTextOf(row, 'field_clocks')),
    pushed_at: nullableTextOf(row, 'pushed_at'),
    pulled_at: nullableTextOf(row, 'pulled_at'),
    change_seq: integerOf(row, 'change_seq'),
  }
}

/**
 * Returns the record that counts as seen when a pull contains an erased record: the record itself if its erasure is in
 * progress, or its anonymised remains. Null without either.
 */
export function findSurvivor(
  { mode, record_id, missing_since }: Tombstone,
  known: Survivor | null,
): Survivor | null {
  return known ?? (mode === 'anonymise' ? { record_id, missing_since } : null)
}

type Survivor = Pick<KnownRecord, 'record_id' | 'missing_since'>

export function toTombstone(row: Row): Tombstone {
  const mode = textOf(row, 'mode') === 'erase' ? 'erase' : 'anonymise'
  const missing_since = nullableTextOf(row, 'missing_since')
  return { record_id: integerOf(row, 'record_id'), mode, missing_since }
}

export function toHold(row: Row): Hold & { record_id: number } {
  return {
    record_id: integerOf(row, 'record_id'),
    revert_id: integerOf(row, 'revert_id'),
    path: textOf(row, 'path'),
    refused: textOf(row, 'refused'),
  }
}

export function formatClocks(clocks: FieldClocks | null): string | null {
  return clocks === null ? null : JSON.stringify(clocks)
}

function parseClocks(text: string | null): FieldClocks | null {
  if (text === null) return null
  const clocks: FieldClocks = {}
  for (const [path, at] of Object.entries(Object(parseLossless(text)))) clocks[path] = String(at)
  return clocks
}

/** Formats the changes of a history entry as JSON text. `before` and `after` are JSON texts already. */
export function formatChanges(changes: RecordChange[]): string {
  const entries = changes.map((change) => {
    const before = change.before === undefined ? '' : `,"before":${change.before}`
    const after = change.after === undefined ? '' : `,"after":${change.after}`
    return `{"path":${JSON.stringify(change.path)}${before}${after}}`
  })
  return `[${entries.join(',')}]`
}
