import type { ChangeReason } from '@recordhub/protocol'
import type { DiskSpace, ServerDurability } from '../../domain/alerts/alert.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore, RequestStore } from './activity-store.ts'
import type { AlertEventStore, AlertStore } from './alert-store.ts'
import type { BackupStore } from './backup-store.ts'
import type { ErasureStore, RemovalStore, RetentionStore } from './deletion-store.ts'
import type { RepairStore } from './diagnostics-store.ts'
import type { DigestStore } from './digest-store.ts'
import type { MissingStore } from './missing-store.ts'
import type {
  InvitationStore,
  LoginThrottleStore,
  OperatorStore,
  SettingStore,
} from './operator-store.ts'
import type {
  ConnectionStore,
  ManifestStore,
  PlatformStore,
  SecretStore,
  SqlViews,
} from './platform-store.ts'
import type { CompletenessStore, PullDispatcher, PullStore, ScheduleStore } from './pull-store.ts'
import type { ViewStore } from './record-list-store.ts'
import type { ChangeStore, RecordStore } from './record-store.ts'
import type { PushErrorStore, RejectedPushStore } from './rejected-push-store.ts'
import type { HoldStore, RevertStore } from './revert-store.ts'
import type { SearchIndexStore } from './search-index-store.ts'
import type {
  InboxStore,
  MetricsStore,
  SnapshotStore,
  StatisticsStore,
} from './statistics-store.ts'

export type EngineInfo = { engine: 'sqlite' | 'postgres'; engine_version: string; bytes: number }

/**
 * Everything that the hub stores. Each method is one unit of work: it is atomic, and no transaction outlives it. An
 * engine throws a HubError `storage_unavailable` if the database cannot be used, `disk_full` if a write needs space that
 * its disk does not have, and `storage_failed` after a failure of its disk; any other error is a bug.
 */
export type Storage = {
  /** Identifies this process among all processes on the database; the owner of its leases. */
  processName: string
  /** The time of day, the same for all processes on the database, even if the clocks of their machines differ. */
  clock: Clock
  records: RecordStore
  searchIndex: SearchIndexStore
  views: ViewStore
  platforms: PlatformStore
  connections: ConnectionStore
  manifests: ManifestStore
  pulls: PullStore
  completeness: CompletenessStore
  schedule: ScheduleStore
  activity: ActivityStore
  changes: ChangeStore
  missing: MissingStore
  digests: DigestStore
  erasure: ErasureStore
  removals: RemovalStore
  rejectedPushes: RejectedPushStore
  pushErrors: PushErrorStore
  requests: RequestStore
  alerts: AlertStore
  alertEvents: AlertEventStore
  inbox: InboxStore
  retention: RetentionStore
  reverts: RevertStore
  holds: HoldStore
  operators: OperatorStore
  invitations: InvitationStore
  loginThrottle: LoginThrottleStore
  settings: SettingStore
  leases: LeaseStore
  repairs: RepairStore
  encryptedSecrets: SecretStore
  snapshot: SnapshotStore
  statistics: StatisticsStore
  metricFigures: MetricsStore
  sqlViews: SqlViews
  pullDispatcher: PullDispatcher
  broadcast: Broadcast
  backups: BackupStore

  /** Resolves if the database is writable; otherwise throws one of the errors above. */
  checkWritable(): Promise<void>

  /** The size and free space of the disk that holds the database, in bytes; null if the database is on a server. */
  readDiskSpace(): Promise<DiskSpace | null>

  /**
   * The settings and standbys of the current PostgreSQL primary that decide whether committed writes survive; null on
   * SQLite, which the hub configures itself.
   */
  readDurability(): Promise<ServerDurability | null>

  /**
   * Updates what the query planner of PostgreSQL knows about the tables that are larger than 256 KB and more than twice as
   * large as when it last did. Reads and writes of these tables do not wait. Has no effect on SQLite, which keeps no such statistics.
   */
  updatePlannerStatistics(): Promise<void>

  /** The engine, its version, and the size of the database in bytes. */
  readEngine(): Promise<EngineInfo>

  /** Waits for work in progress and closes every connection. */
  close(): Promise<void>
}

/** Leases: at most one process at a time runs a job, such as enforcing retention or watching alerts. */
export interface LeaseStore {
  /**
   * Acquires a lease for `seconds` unless it is held, by another owner or by this one. Exactly one of several concurrent
   * callers on all processes succeeds. A lease expires if it is not released, for example because its process was killed.
   * After the clock is set back, it expires at the latest `seconds` after it would have.
   * @param owner the process name of the storage.
   * @param from when the lease begins, for a job of this time; now by default. All callers with the same time, however late,
   *   acquire it once, and it does not delay a job whose time is later than its end.
   * @returns whether the lease was acquired.
   */
  acquire(name: string, owner: string, seconds: number, from?: Date): Promise<boolean>

  /** Releases a lease before it expires. Has no effect if the owner does not hold it. */
  release(name: string, owner: string): Promise<void>
}

/** Events about changes, within this process and between the processes on one database. */
export interface Broadcast {
  /** Calls the listener after each commit of this process that has changed data which the dashboard shows. */
  onCommit(listener: (reason: ChangeReason) => void): void

  /** Sends a message to every other process. Messages may be lost; this never fails. */
  publish(message: string): Promise<void>

  /** Calls the listener with each message that another process has published. */
  subscribe(listener: (message: string) => void): void
}

/** What a hub does before it migrates a database of an older version. */
export type Upgrade = {
  /**
   * Writes a verified backup to a new file, whose folder exists or is created; null if backups before an upgrade are
   * turned off.
   */
  backup: { folder: string; passphrase: string | null; write: WriteUpgradeBackup } | null
  /** Logs a step of the upgrade for the administrator. */
  log: (message: string) => void
}

type WriteUpgradeBackup = (path: string) => Promise<unknown>

/** The migrations of an upgrade. */
export type UpgradeStep = { applied: string[]; pending: string[] }

/**
 * The free space that an upgrade of a SQLite database of this size needs at most, in bytes: in the folder of backups for
 * a snapshot and the compressed backup; beside the database for a copy and the write-ahead log of its migration; and on
 * one disk that has both folders, since the snapshot is deleted before the copy is made.
 */
export function upgradeSpace(bytes: number): { backups: number; database: number; both: number } {
  return { backups: 2 * bytes, database: 2 * bytes, both: 3 * bytes }
}
