/** Backups and restore drills. */
import Type, { type Static } from 'typebox'
import {
  described,
  NullableInteger,
  NullableString,
  NullableTimestamp,
  OneOf,
  Timestamp,
} from './common.ts'

/** What a backup says about itself. */
export const BackupInfo = Type.Object({
  engine: OneOf('sqlite', 'postgres'),
  hub_version: Type.String({ description: 'The version of the hub that wrote the backup' }),
  migrations: Type.Array(Type.String(), {
    description: 'The migrations of the database, which define its schema',
  }),
  created_at: Timestamp,
  secret_fingerprint: described(
    NullableString,
    'Identifies the HUB_SECRET that decrypts the keys in the backup',
  ),
  position: Type.Integer({
    description: 'The backup contains every change of a record up to this number',
  }),
  tables: Type.Record(Type.String(), Type.Integer(), { description: 'The rows of each table' }),
  encrypted: Type.Boolean(),
})

export const BACKUP_PHASES = ['copy', 'check', 'write', 'verify', 'unpack', 'compare'] as const

export const BackupRun = Type.Object({
  operation: OneOf('backup', 'drill'),
  file: Type.String(),
  state: OneOf('running', 'succeeded', 'failed'),
  phase: OneOf(...BACKUP_PHASES),
  percent: NullableInteger,
  requested_by: Type.String(),
  started_at: Timestamp,
  finished_at: NullableTimestamp,
  error: NullableString,
})

/** Compares a restored copy of a backup with the data of the hub, at the position of the backup. */
export const DrillReport = Type.Object({
  created_at: Type.String({ description: 'When the backup was made' }),
  finished_at: Timestamp,
  passed: Type.Boolean(),
  position: Type.Integer(),
  records: Type.Integer({ description: 'Records in the backup' }),
  equal: Type.Integer({ description: 'Records that are equal in the backup and in the hub' }),
  changed_since: Type.Integer({ description: 'Records that changed after the backup' }),
  deleted_since: Type.Integer({ description: 'Records that were deleted after the backup' }),
  different: Type.Integer({ description: 'Records with the same change but other content' }),
  absent: Type.Integer({ description: 'Records of the hub that the backup should contain' }),
  tables: Type.Record(Type.String(), Type.Integer(), {
    description: 'The rows of each restored table, which are as many as when the backup was made',
  }),
})

/** A backup in the folder. `info` is null if the file cannot be read; `problem` is the reason. */
export const Backup = Type.Object({
  file: Type.String(),
  bytes: Type.Integer(),
  info: Type.Unsafe<Static<typeof BackupInfo> | null>({
    anyOf: [BackupInfo, { type: 'null' }],
  }),
  problem: NullableString,
  drill: Type.Unsafe<Static<typeof DrillReport> | null>({
    anyOf: [DrillReport, { type: 'null' }],
    description: 'The last restore drill of this backup, if it has compared all records',
  }),
})

export const BackupsResponse = Type.Object({
  success: Type.Literal(true),
  folder: Type.String(),
  schedule: NullableString,
  next_at: NullableTimestamp,
  keep: Type.Integer(),
  encrypts: Type.Boolean({ description: 'Whether new backups are encrypted' }),
  secret_fingerprint: Type.String({ description: 'Of the current secret of the hub' }),
  backups: Type.Array(Backup),
  run: Type.Unsafe<Static<typeof BackupRun> | null>({ anyOf: [BackupRun, { type: 'null' }] }),
})

export const BackupRunResponse = Type.Object({ success: Type.Literal(true), run: BackupRun })

export type BackupInfo = Static<typeof BackupInfo>
export type BackupPhase = (typeof BACKUP_PHASES)[number]
export type BackupRun = Static<typeof BackupRun>
export type Backup = Static<typeof Backup>
export type DrillReport = Static<typeof DrillReport>
export type BackupsResponse = Static<typeof BackupsResponse>
