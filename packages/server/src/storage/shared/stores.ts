import type { AuthDatabase } from '../port/operator-store.ts'
import type { RetentionStore } from '../port/retention-store.ts'
import type { Storage } from '../port/storage.ts'
import type { HoldsLower } from './activity/activity-lists.ts'
import { createActivityStore } from './activity/activity-store.ts'
import { createAlertStore } from './activity/alert-store.ts'
import { createPushErrorStore } from './activity/push-error-store.ts'
import { createSnapshotStore } from './activity/snapshot-store.ts'
import { createStatisticsStore } from './counters/statistics-store.ts'
import type { ErasingParts } from './deletion/erase-record.ts'
import { createErasureStore } from './deletion/erasure-store.ts'
import { createPayPurge } from './deletion/purge.ts'
import { createRemovalStore } from './deletion/removal-store.ts'
import { createRetentionStore } from './deletion/retention-store.ts'
import { createInvitationStore } from './operators/invitation-store.ts'
import { createGuessStore } from './operators/login-throttle-store.ts'
import { createOperatorStore } from './operators/operator-store.ts'
import { createConnectionStore } from './platforms/connection-store.ts'
import { createManifestStore } from './platforms/manifest-store.ts'
import {
  type ChangeChannel,
  createPlatformChanges,
  createPlatformStore,
} from './platforms/platform-store.ts'
import { createSecretStore } from './platforms/secret-store.ts'
import { createSqlViews, type ViewDialect } from './platforms/sql-views.ts'
import { createMissingStore, type MissingDialect } from './pulls/missing-store.ts'
import { createPullStore, type IsGone } from './pulls/pull-store.ts'
import { createScheduleStore } from './pulls/schedule-store.ts'
import { createViewStore } from './record-list/view-store.ts'
import { createChangeStore } from './records/change-store.ts'
import { createRejectedPushStore } from './rejected-pushes/rejected-push-store.ts'
import { type Databases, type Executor, nowText } from './schema/databases.ts'

/** The parts of the stores that differ between engines. */
export type EngineParts = {
  authDatabase: AuthDatabase
  /** The name of its counter rows. */
  node: string
  /** Gives the last number of the write sequence. */
  readMark: (db: Executor) => Promise<number>
  /** Gives out the next ones, rising, for what is no change that the feed of changes shows. */
  drawPlaces: (db: Executor, count: number) => Promise<number[]>
  /** Gives the number up to which no write under way can still write. */
  settledSequence: (db: Executor) => Promise<number>
  viewDialect: ViewDialect
  missing: MissingDialect
  giveSpaceBack: RetentionStore['giveSpaceBack']
  holdsLower: HoldsLower
  erasing: ErasingParts
  /** Left out where no other process is at work. */
  channel?: ChangeChannel
  isGone?: IsGone
  isAlone?: (db: Executor) => Promise<boolean>
}

/** Every store that is the same on all engines. */
export function createStores(
  databases: Databases,
  parts: EngineParts,
): Omit<
  Storage,
  | 'processName'
  | 'records'
  | 'searchIndex'
  | 'pullDispatcher'
  | 'news'
  | 'readDiskSpace'
  | 'readEngine'
  | 'close'
> {
  const { writer, clock } = databases
  const { authDatabase, node, readMark, settledSequence, missing, erasing, channel, isGone } = parts
  const changes = createPlatformChanges(databases, channel)
  const payPurge = createPayPurge(databases, erasing.purge)
  return {
    platforms: createPlatformStore(databases, changes, node),
    connections: createConnectionStore(databases, changes, node),
    manifests: createManifestStore(databases, changes),
    pulls: createPullStore(databases, readMark, isGone),
    schedule: createScheduleStore(databases),
    activity: createActivityStore(databases, parts.holdsLower),
    changes: createChangeStore(databases, { readMark, settledSequence }),
    missing: createMissingStore(databases, missing),
    alerts: createAlertStore(databases),
    pushErrors: createPushErrorStore(databases),
    retention: createRetentionStore(databases, parts.giveSpaceBack),
    erasure: createErasureStore(databases, erasing, { node, payPurge }),
    removals: createRemovalStore(databases, { ...erasing, node, payPurge }),
    rejectedPushes: createRejectedPushStore(databases, {
      node,
      drawPlaces: parts.drawPlaces,
      hashReference: erasing.hashReference,
    }),
    operators: createOperatorStore(databases, authDatabase),
    invitations: createInvitationStore(databases),
    guesses: createGuessStore(databases),
    seals: createSecretStore(databases, parts.isAlone ?? (async () => true)),
    snapshot: createSnapshotStore(databases),
    statistics: createStatisticsStore(databases),
    views: createViewStore(databases),
    sqlViews: createSqlViews(databases, parts.viewDialect),
    async checkWritable() {
      // The time differs each time: what is there already would not be written.
      const until = nowText(clock)
      await writer
        .insertInto('claims')
        .values({ name: 'writable', until })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ until }))
        .execute()
    },
  }
}
