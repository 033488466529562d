import type { DiskSpace } from '../../domain/alerts/alert.ts'
import type { ServerDurability } from '../../domain/alerts/durability.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from './activity-store.ts'
import type { AlertEventStore } from './alert-event-store.ts'
import type { AlertStore } from './alert-store.ts'
import type { BackupStore } from './backup-store.ts'
import type { Broadcast } from './broadcast.ts'
import type { ChangeStore } from './change-store.ts'
import type { ConnectionStore } from './connection-store.ts'
import type { ErasureStore } from './erasure-store.ts'
import type { InboxStore } from './inbox-store.ts'
import type { InvitationStore } from './invitation-store.ts'
import type { LeaseStore } from './lease-store.ts'
import type { LoginThrottleStore } from './login-throttle-store.ts'
import type { ManifestStore } from './manifest-store.ts'
import type { MetricsStore } from './metrics-store.ts'
import type { MissingStore } from './missing-store.ts'
import type { OperatorStore } from './operator-store.ts'
import type { PlatformStore } from './platform-store.ts'
import type { PullDispatcher } from './pull-dispatcher.ts'
import type { PullStore } from './pull-store.ts'
import type { PushErrorStore } from './push-error-store.ts'
import type { RecordStore } from './record-store.ts'
import type { RejectedPushStore } from './rejected-push-store.ts'
import type { RemovalStore } from './removal-store.ts'
import type { RepairStore } from './repair-store.ts'
import type { RequestStore } from './request-store.ts'
import type { RetentionStore } from './retention-store.ts'
import type { ScheduleStore } from './schedule-store.ts'
import type { SearchIndexStore } from './search-index-store.ts'
import type { SecretStore } from './secret-store.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import type { SqlViews } from './sql-views.ts'
import type { StatisticsStore } from './statistics-store.ts'
import type { ViewStore } from './view-store.ts'

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
  schedule: ScheduleStore
  activity: ActivityStore
  changes: ChangeStore
  missing: MissingStore
  erasure: ErasureStore
  removals: RemovalStore
  rejectedPushes: RejectedPushStore
  pushErrors: PushErrorStore
  requests: RequestStore
  alerts: AlertStore
  alertEvents: AlertEventStore
  inbox: InboxStore
  retention: RetentionStore
  operators: OperatorStore
  invitations: InvitationStore
  loginThrottle: LoginThrottleStore
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

  /** The engine, its version, and the size of the database in bytes. */
  readEngine(): Promise<EngineInfo>

  /** Waits for work in progress and closes every connection. */
  close(): Promise<void>
}
