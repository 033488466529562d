/** Several nodes on one PostgreSQL database, and clients that query and lock it. */
import { Client } from 'pg'
import type { Clock } from '../../../src/lib/time/clock.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { LIVENESS_LOCK } from '../../../src/storage/postgres/locks.ts'
import { openPostgres, type PostgresOptions } from '../../../src/storage/postgres/storage.ts'
import { withDatabase } from '../postgres/database.ts'
import { TEST_POSTGRES_OPTIONS } from '../postgres/prepare-database.ts'
import { registerTest } from '../register-test.ts'
import { TestClock } from '../storage/engine.ts'
import { createKit, type StorageKit } from '../storage/kit.ts'
import { openTemporaryPostgres } from '../storage/postgres.ts'
import { untilTrue } from '../time/until.ts'

export type TwoNodes = {
  url: string
  clock: TestClock
  nodeA: StorageKit
  nodeB: StorageKit
  /** A separate client without a transaction. */
  observer: Client
}

/** Opens a database as the storage of one more node; by default with the clock of the database. */
export function openNodeStorage(
  url: string,
  clock?: Clock,
  more: Partial<PostgresOptions> = {},
): Promise<Storage> {
  const options = { url, timeZone: 'UTC', ...TEST_POSTGRES_OPTIONS, ...more }
  return openPostgres(clock ? { ...options, clock } : options)
}

/** The time that a call of a hub waits for a connection. */
export const REAL_TIMEOUT = { connectTimeoutMs: 5000 }

/** Registers a test with two nodes on an empty database. */
export function test(name: string, body: (nodes: TwoNodes) => Promise<void>): void {
  registerTest(name, {}, withTwoNodes(body))
}

/** The body of a test with two nodes on an empty database. */
export function withTwoNodes(run: (nodes: TwoNodes) => Promise<void>): () => Promise<void> {
  return async () => {
    const clock = new TestClock()
    const { storage, url, close } = await openTemporaryPostgres(clock)
    const other = await openNodeStorage(url, clock)
    try {
      const nodeA = createKit({ storage, clock })
      const nodeB = createKit({ storage: other, clock })
      await withDatabase(url, (observer) => run({ url, clock, nodeA, nodeB, observer }))
    } finally {
      await other.close()
      await close()
    }
  }
}

/** Waits until this number of sessions of the database wait for a lock. */
export async function untilLockWaiters(observer: Client, count: number): Promise<void> {
  await untilTrue(`${count} sessions wait for a lock`, async () => {
    const { rows } = await observer.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return rows[0]?.n === count
  })
}

/**
 * The process ids of the sessions that listen for notifications: each holds the lock of a live process, takes it before it
 * listens, and sends other queries later, so that its connection stays in use.
 */
export async function listeningSessions(observer: Client): Promise<number[]> {
  const { rows } = await observer.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity JOIN pg_locks USING (pid)
     WHERE datname = current_database() AND state = 'idle' AND query NOT LIKE '%pg_advisory_lock%'
       AND locktype = 'advisory' AND classid = $1 AND granted`,
    [LIVENESS_LOCK],
  )
  return rows.map((row) => row.pid)
}

/** Holds the locks of a statement while `work` runs; `release` releases them earlier. */
export async function withLock<Result>(
  url: string,
  lock: string,
  work: (release: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url })
  // A test may kill the server meanwhile.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(lock)
    return await work(async () => void (await client.query('ROLLBACK')))
  } finally {
    await client.end()
  }
}

/** A function that counts its calls, and a way to wait for the next call. */
export function createCallCounter(): { call: () => void; next: () => Promise<void> } {
  let calls = 0
  let seenCalls = 0
  let wake = () => {}
  return {
    call() {
      calls += 1
      wake()
    },
    /** Waits for a call since the previous `next`. */
    async next() {
      if (calls === seenCalls) await new Promise<void>((resolve) => (wake = resolve))
      seenCalls = calls
    },
  }
}
