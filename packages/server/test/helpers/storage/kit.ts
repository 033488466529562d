/** The storage of a test, with the steps that most tests of the storage consist of. */
import type { ActivityEntry, PullMode } from '@recordhub/protocol'
import type { ActivityStore } from '../../../src/storage/port/activity-store.ts'
import type { DiagnosticsStore } from '../../../src/storage/port/diagnostics-store.ts'
import type { EndState, Lease } from '../../../src/storage/port/pull-store.ts'
import type { RecordQuery, RecordWrite } from '../../../src/storage/port/record-store.ts'
import type { NewRejectedPush } from '../../../src/storage/port/rejected-push-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { type StorageEngine, TestClock } from './engine.ts'
import * as fixtures from './fixtures.ts'
import {
  type PushOverrides,
  pushWrite,
  type StorageContext,
  type TestPlatform,
} from './fixtures.ts'
import { markMissing } from './missing.ts'
import type { ReadOverrides, TestPull, TestRead } from './pulls.ts'
import * as pulls from './pulls.ts'
import * as replays from './replays.ts'
import { indexAll, setIndexedFields } from './search.ts'
import { countRows, runSql } from './sql.ts'

/** A registered platform, which pushes to the storage of its kit and is pulled into it. */
export type KitPlatform = TestPlatform & {
  /** Pushes a POST that must be accepted, by default of r-1 in `students`. */
  post: (overrides?: Omit<PushOverrides, 'source'>) => ReturnType<typeof fixtures.writeOne>
  /** Pushes a PATCH that must be accepted. */
  patch: (overrides?: Omit<PushOverrides, 'source'>) => ReturnType<typeof fixtures.writeOne>
  /** Starts a pull and the read of one module. */
  startRead: (overrides?: ReadOverrides) => Promise<TestRead>
  /** Runs a complete pull of one module. */
  pull: (work: (read: TestRead) => Promise<void>, overrides?: ReadOverrides) => Promise<void>
}

export type StorageKit = ReturnType<typeof createKit>

/** The kit of a test that opened its own storage. */
export type TestKit = StorageKit & {
  engine: StorageEngine
  /** Closes the storage and reopens it with its data. */
  reopen: () => Promise<Storage>
  /** Reads with the diagnostics of `recordhub doctor`. */
  diagnose: <Result>(read: (diagnostics: DiagnosticsStore) => Promise<Result>) => Promise<Result>
}

type ActivityQuery = Parameters<ActivityStore['listActivity']>[0]

/** All entries, however slow the machine is. */
const ALL_ACTIVITY: ActivityQuery = {
  ...{ platform: null, level: null, limit: 1000, before: null },
  scan_ms: 600_000,
}

/** @param context its storage may change, as when it is reopened. */
export function createKit(context: StorageContext) {
  return {
    clock: context.clock,
    /** The storage, also after it was reopened. */
    get storage() {
      return context.storage
    },
    /** Registers a platform, by default `school` with the module `students`. */
    async register(options?: fixtures.RegistrationOptions): Promise<KitPlatform> {
      const platform = await fixtures.registerTestPlatform(context, options)
      const push = (overrides: PushOverrides) =>
        fixtures.writeOne(context, pushWrite(platform, overrides))
      return {
        ...platform,
        post: (overrides) => push({ ...overrides, source: 'POST' }),
        patch: (overrides) => push({ ...overrides, source: 'PATCH' }),
        startRead: (overrides) => pulls.startPullAndRead(context.storage, platform, overrides),
        pull: (work, overrides) => pulls.pullOnce(context, platform, work, overrides),
      }
    },
    setStatus: (platform: TestPlatform, status: 'active' | 'inactive') =>
      fixtures.setStatus(context, platform, status),
    /** Applies writes as one batch at the time of the clock. */
    write: (...writes: RecordWrite[]) => fixtures.write(context, ...writes),
    /** Applies writes as one batch. @returns the outcome of each, or the code of its rejection. */
    outcomesOf: async (...writes: RecordWrite[]) =>
      fixtures.outcomesOf(await fixtures.write(context, ...writes)),
    /** Applies one write that must be accepted. */
    writeOne: (write: RecordWrite) => fixtures.writeOne(context, write),
    records: (query?: Partial<RecordQuery>) => fixtures.listRecords(context.storage, query),
    /** A record that must exist. */
    record: (recordId: number) => fixtures.readRecord(context.storage, recordId),
    history: (recordId: number) => fixtures.listHistory(context.storage, recordId),
    /** The entries of the activity, newest first. */
    activity: (query?: Partial<ActivityQuery>): Promise<ActivityEntry[]> =>
      fixtures.listActivity(context.storage.activity, { ...ALL_ACTIVITY, ...query }),
    requestPull: (lease?: Lease) => pulls.requestPull(context.storage, lease),
    /** Requests a pull of all modules and starts it. */
    startPull: (lease?: Lease, mode?: PullMode) =>
      pulls.startTestPull(context.storage, lease, mode),
    startRead: (pull: TestPull, platform: TestPlatform, overrides?: ReadOverrides) =>
      pulls.startRead(context.storage, pull, platform, overrides),
    /** Finishes the task of a complete read. */
    finishRead: (read: TestRead) => pulls.finishRead(context.storage, read),
    finishPull: (pullId: number, state?: EndState) =>
      pulls.finishTestPull(context.storage, pullId, state),
    /** Marks records by their reference numbers, whether the read contained them or not. */
    markMissing: (read: TestRead, references: string[], graceSeconds?: number) =>
      markMissing(context.storage, read, references, graceSeconds),
    saveRejected: (rejected: NewRejectedPush[], quotaBytes?: number) =>
      replays.saveRejected(context, rejected, quotaBytes),
    /** The rejected pushes that are not replayed yet, by position. */
    rejected: () => replays.listRejected(context.storage),
    indexAll: (limit?: number) => indexAll(context.storage, limit),
    setIndexedFields: (platform: TestPlatform, keys: string[], recordType?: string) =>
      setIndexedFields(context.storage, platform, keys, recordType),
    runSql: (statement: string) => runSql(context.storage, statement),
    countRows: (table: string) => countRows(context.storage, table),
  }
}

export type KitOptions = {
  /** Whether long reads and the text index of SQLite run in threads; on PostgreSQL long reads. */
  withThreads?: boolean
}

/** The body of a test with its own empty storage. */
export function withStorage(
  engine: StorageEngine,
  run: (kit: TestKit) => Promise<void>,
  options: KitOptions = {},
): () => Promise<void> {
  return async () => {
    const clock = new TestClock()
    const opened = await engine.open({ clock, withThreads: false, ...options })
    try {
      const context = { storage: opened.storage, clock }
      const kit = Object.assign(createKit(context), {
        engine,
        async reopen() {
          context.storage = await opened.reopen()
          return context.storage
        },
        async diagnose<Result>(read: (diagnostics: DiagnosticsStore) => Promise<Result>) {
          const diagnostics = await opened.openDiagnostics()
          try {
            return await read(diagnostics)
          } finally {
            await diagnostics.close()
          }
        },
      })
      await run(kit)
    } finally {
      await opened.close()
    }
  }
}
