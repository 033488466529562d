import type { RetentionStore } from '../port/deletion-store.ts'
import type { AuthDatabase } from '../port/operator-store.ts'
import type { LeaseStore, Storage } from '../port/storage.ts'
import { type ContainsIgnoringCase, createActivityStore } from './activity/activity-store.ts'
import { createAlertEventStore } from './activity/alert-event-store.ts'
import { createAlertStore } from './activity/alert-store.ts'
import { createInboxStore } from './activity/inbox-store.ts'
import { createPushErrorStore } from './activity/push-error-store.ts'
import { createRequestStore } from './activity/request-store.ts'
import { createSnapshotStore } from './activity/snapshot-store.ts'
import { createStatisticsStore } from './counters/statistics-store.ts'
import { createPendingPurgeRunner } from './deletion/delete-rows.ts'
import { createErasureStore, type ErasureDialect } from './deletion/erasure-store.ts'
import { createTombstoneImport } from './deletion/import-tombstones.ts'
import { createRemovalStore } from './deletion/removal-store.ts'
import { createRetentionStore } from './deletion/retention-store.ts'
import { createRepairStore } from './diagnostics/repair-store.ts'
import { createInvitationStore } from './operators/invitation-store.ts'
import { createLoginThrottleStore } from './operators/login-throttle-store.ts'
import { createOperatorStore } from './operators/operator-store.ts'
import { createSettingStore } from './operators/setting-store.ts'
import { createViewStore } from './operators/view-store.ts'
import { createConnectionStore, createSecretStore } from './platforms/connection-store.ts'
import { createManifestStore } from './platforms/manifest-store.ts'
import {
  type ChangeChannel,
  createPlatformChanges,
  createPlatformStore,
} from './platforms/platform-store.ts'
import { createCompletenessStore } from './pulls/completeness-store.ts'
import { createMissingStore, type MissingDialect } from './pulls/missing-store.ts'
import { createScheduleStore } from './pulls/pull-plan.ts'
import { createPullStore, type IsOwnerDead } from './pulls/pull-store.ts'
import { createChangeStore } from './records/change-store.ts'
import { createDigestStore } from './records/digest-store.ts'
import { createRejectedPushStore } from './rejected-pushes/rejected-push-store.ts'
import { createHoldStore } from './reverts/hold-store.ts'
import { createRevertStore } from './reverts/revert-store.ts'
import type { DecisionRows, SelectByIds } from './reverts/scope-history.ts'
import { type Databases, type Executor, nowText } from './schema/databases.ts'
import { deleteRows } from './schema/rows.ts'

/** The functions of the stores that differ between engines. */
type EngineDialect = {
  authDatabase: AuthDatabase
  /** The name of this process's counter rows. */
  node: string
  /** Returns the last number of the write sequence that was allocated. */
  readLastSequence: (db: Executor) => Promise<number>
  /** Allocates rising numbers for positions that the feed of changes does not show. */
  allocatePositions: (db: Executor, count: number) => Promise<number[]>
  /** Returns the commit watermark: no transaction in flight can still write a number up to it. */
  readCommitWatermark: (db: Executor) => Promise<number>
  /** As `SnapshotStore.readVersion`. */
  readVersion: (db: Executor) => Promise<string>
  missing: MissingDialect
  selectByIds: SelectByIds
  decisionRows: DecisionRows
  reclaimSpace: RetentionStore['reclaimSpace']
  containsIgnoringCase: ContainsIgnoringCase
  erasure: ErasureDialect
  /** Left out if no other process can use the database. */
  platformChanges?: ChangeChannel
  isProcessDead?: IsOwnerDead
  isOnlyProcess?: (db: Executor) => Promise<boolean>
}

/** Creates the stores that are the same on both engines. */
export function createStores(
  databases: Databases,
  dialect: EngineDialect,
): Omit<
  Storage,
  | 'processName'
  | 'records'
  | 'searchIndex'
  | 'metricFigures'
  | 'sqlViews'
  | 'pullDispatcher'
  | 'broadcast'
  | 'backups'
  | 'readDiskSpace'
  | 'readDurability'
  | 'updatePlannerStatistics'
  | 'readEngine'
  | 'close'
> {
  const { writer, clock } = databases
  const { node, readLastSequence, readCommitWatermark, missing, erasure } = dialect
  const changes = createPlatformChanges(databases, dialect.platformChanges)
  const runPendingPurge = createPendingPurgeRunner(databases, erasure.purge)
  const erasureStore = createErasureStore(databases, erasure, { node, runPendingPurge })
  const importTombstones = createTombstoneImport(databases, { ...erasure, ...erasureStore })
  return {
    clock,
    platforms: createPlatformStore(databases, changes, node),
    connections: createConnectionStore(databases, changes),
    manifests: createManifestStore(databases, changes),
    pulls: createPullStore(databases, readLastSequence, dialect.isProcessDead),
    completeness: createCompletenessStore(databases),
    schedule: createScheduleStore(databases),
    activity: createActivityStore(databases, dialect.containsIgnoringCase),
    changes: createChangeStore(databases, { readLastSequence, readCommitWatermark }),
    missing: createMissingStore(databases, missing),
    digests: createDigestStore(databases),
    reverts: createRevertStore(databases, {
      isOnlyProcess: dialect.isOnlyProcess === undefined,
      decisionRows: dialect.decisionRows,
      selectByIds: dialect.selectByIds,
    }),
    holds: createHoldStore(databases, node),
    alerts: createAlertStore(databases),
    alertEvents: createAlertEventStore(databases),
    pushErrors: createPushErrorStore(databases),
    inbox: createInboxStore(databases),
    requests: createRequestStore(databases, erasure.hashReference),
    retention: createRetentionStore(databases, dialect.reclaimSpace),
    erasure: { ...erasureStore, importTombstones },
    removals: createRemovalStore(databases, { ...erasure, node, runPendingPurge }),
    rejectedPushes: createRejectedPushStore(databases, {
      node,
      allocatePositions: dialect.allocatePositions,
      hashReference: erasure.hashReference,
    }),
    operators: createOperatorStore(databases, dialect.authDatabase),
    invitations: createInvitationStore(databases),
    loginThrottle: createLoginThrottleStore(databases),
    settings: createSettingStore(databases),
    leases: createLeaseStore(databases),
    repairs: createRepairStore(databases, node),
    encryptedSecrets: createSecretStore(databases, dialect.isOnlyProcess ?? (async () => true)),
    snapshot: createSnapshotStore(databases, dialect.readVersion),
    statistics: createStatisticsStore(databases),
    views: createViewStore(databases),
    async checkWritable() {
      // The time differs on each call, so that the row is written each time.
      const lease = { owner: 'health check', expires_at: nowText(clock) }
      await writer
        .insertInto('leases')
        .values({ name: 'health check', ...lease })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(lease))
        .execute()
    },
  }
}

function createLeaseStore({ writer, clock }: Databases): LeaseStore {
  return {
    async acquire(name, owner, seconds, from) {
      const now = clock.now().getTime()
      const begin = from?.getTime() ?? now
      const expires_at = new Date(begin + seconds * 1000).toISOString()
      const lease = { owner, expires_at }
      // Later than any lease of this name ends, unless the clock was set back since.
      const latestEnd = new Date(now + 2 * seconds * 1000).toISOString()
      const acquired = await writer
        .insertInto('leases')
        .values({ name, ...lease })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(lease)
            .where((eb) =>
              eb.or([
                eb('leases.expires_at', '<', new Date(begin).toISOString()),
                eb('leases.expires_at', '>', latestEnd),
              ]),
            ),
        )
        .returning('name')
        .executeTakeFirst()
      return acquired !== undefined
    },

    async release(name, owner) {
      await deleteRows(writer, 'leases', { name, owner })
    },
  }
}
