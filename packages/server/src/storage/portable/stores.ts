import type { AuthDatabase } from '../port/operator-store.ts'
import type { Storage } from '../port/storage.ts'
import { createActivityStore } from './activity-store.ts'
import { type Databases, type Executor, nowText } from './databases.ts'
import { createMissingStore, type MissingParts } from './missing-store.ts'
import { createOperatorStore } from './operator-store.ts'
import { type ChangeChannel, createPlatformStore } from './platform-store.ts'
import { createPullStore, type IsGone } from './pull-store.ts'
import { createRejectedPushStore } from './rejected-push-store.ts'
import { createScheduleStore } from './schedule-store.ts'
import { createSnapshotStore } from './snapshot-store.ts'
import { createViewStore } from './view-store.ts'

/** What an engine adds to the portable stores. */
export type EngineParts = {
  authDatabase: AuthDatabase
  /** The name of its counter rows. */
  node: string
  /** Gives the last number of the write sequence. */
  readMark: (db: Executor) => Promise<number>
  missing: MissingParts
  /** Left out where no other process is at work. */
  channel?: ChangeChannel
  isGone?: IsGone
}

/** Every store that is the same on all engines. */
export function createStores(
  databases: Databases,
  { authDatabase, node, readMark, missing, channel, isGone }: EngineParts,
): Omit<Storage, 'processName' | 'records' | 'searchIndex' | 'pullDispatcher' | 'close'> {
  const { writer, clock } = databases
  return {
    platforms: createPlatformStore(databases, channel),
    pulls: createPullStore(databases, readMark, isGone),
    schedule: createScheduleStore(databases),
    activity: createActivityStore(databases),
    missing: createMissingStore(databases, missing),
    rejectedPushes: createRejectedPushStore(databases, node),
    operators: createOperatorStore(databases, authDatabase),
    snapshot: createSnapshotStore(databases),
    views: createViewStore(databases),
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
