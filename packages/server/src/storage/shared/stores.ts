import type { AuthDatabase } from '../port/operator-store.ts'
import type { RetentionStore } from '../port/retention-store.ts'
import type { Storage } from '../port/storage.ts'
import type { HoldsLower } from './activity-lists.ts'
import { createActivityStore } from './activity-store.ts'
import { createAlertStore } from './alert-store.ts'
import { createChangeStore } from './change-store.ts'
import { createConnectionStore } from './connection-store.ts'
import { type Databases, type Executor, nowText } from './databases.ts'
import type { ErasingParts } from './erase-record.ts'
import { createErasureStore } from './erasure-store.ts'
import { createGuessStore } from './guess-store.ts'
import { createInvitationStore } from './invitation-store.ts'
import { createManifestStore } from './manifest-store.ts'
import { createMissingStore, type MissingParts } from './missing-store.ts'
import { createOperatorStore } from './operator-store.ts'
import { type ChangeChannel, createPlatformChanges, createPlatformStore } from './platform-store.ts'
import { createPullStore, type IsGone } from './pull-store.ts'
import { createPayPurge } from './purge.ts'
import { createPushErrorStore } from './push-error-store.ts'
import { createRejectedPushStore } from './rejected-push-store.ts'
import { createRemovalStore } from './removal-store.ts'
import { createRetentionStore } from './retention-store.ts'
import { createScheduleStore } from './schedule-store.ts'
import { createSecretStore } from './secret-store.ts'
import { createSnapshotStore } from './snapshot-store.ts'
import { createSqlViews, type ViewDialect } from './sql-views.ts'
import { createStatisticsStore } from './statistics-store.ts'
import { createViewStore } from './view-store.ts'

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
  missing: MissingParts
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
