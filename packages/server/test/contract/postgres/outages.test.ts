/** Errors and recovery when PostgreSQL stops, is read-only or runs out of connections. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { MAX_CONNECTIONS, MAX_WRITERS } from '../../../src/storage/postgres/connection.ts'
import { withDatabase } from '../../helpers/postgres/database.ts'
import {
  createCallCounter,
  listeningSessions,
  openNodeStorage,
  REAL_TIMEOUT,
  untilLockWaiters,
  withLock,
} from '../../helpers/postgres/nodes.ts'
import { prepareDatabase } from '../../helpers/postgres/prepare-database.ts'
import { type PostgresServer, startPostgres } from '../../helpers/postgres/server.ts'
import { callsOfAllMethods } from '../../helpers/storage/all-methods.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import { only, pushWrite } from '../../helpers/storage/fixtures.ts'
import { createKit, type KitPlatform, type StorageKit } from '../../helpers/storage/kit.ts'
import { authKysely } from '../../helpers/storage/sql.ts'
import { guardMs } from '../../helpers/time/guard.ts'
import { isDeep, rounds } from '../../helpers/time/tier.ts'
import { untilTrue } from '../../helpers/time/until.ts'

const UNAVAILABLE = { name: 'HubError', code: 'storage_unavailable', retryAfterSeconds: 5 }
const LOCK_R1 = `SELECT FROM records WHERE reference_number = 'r-1' FOR UPDATE`

describe('PostgreSQL outages', () => {
  let server: PostgresServer
  let url: string
  let storage: Storage
  let kit: StorageKit
  let school: KitPlatform
  let count = 0
  const clock = new TestClock()
  const createDatabase = async (name: string, template: string) => {
    await withDatabase(server.url, (client) =>
      client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`),
    )
    return server.url.replace(/\/postgres$/, `/${name}`)
  }
  before(async () => {
    server = await startPostgres()
    await prepareDatabase(await createDatabase('migrated', 'template1'))
  })
  beforeEach(async () => {
    // The server may still be stopped after a failed test.
    await server.start().catch(() => undefined)
    url = await createDatabase(`hub_${count++}`, 'migrated')
    storage = await openNodeStorage(url, clock, REAL_TIMEOUT)
    kit = createKit({ storage, clock })
    school = await kit.register()
    await school.post()
  })
  afterEach(() => storage.close())
  after(() => server.remove())

  const endings = [
    ['is shut down', () => server.stop()],
    ['is killed', () => server.kill()],
  ] as const
  const [shutdown, kill] = endings
  for (const [ending, end] of isDeep ? endings : [shutdown]) {
    test(`when PostgreSQL ${ending}, every storage method fails with storage_unavailable until it runs again`, async () => {
      const { pullDispatcher } = storage
      const runs = Promise.withResolvers<number>()
      const notified = createCallCounter()
      storage.platforms.onChange(notified.call)
      await pullDispatcher.start(async (id) => runs.resolve(id))
      const read = await school.startRead()
      const calls = callsOfAllMethods(storage, { clock, school, read })
      // Concurrent calls open every connection of the pools. More calls would wait for one, which has a time limit.
      for (let at = 0; at < calls.length - 1; at += MAX_CONNECTIONS) {
        const some = calls.slice(at, Math.min(at + MAX_CONNECTIONS, calls.length - 1))
        await Promise.all(some.map(([, call]) => call()))
      }

      await end()
      const concurrent = await Promise.all(calls.map(([, call]) => outcomeOf(call)))
      const sequential = []
      for (const [, call] of calls) sequential.push(await outcomeOf(call))
      for (const outcomes of [concurrent, sequential]) {
        assert.deepEqual(
          calls.map(([name], index) => `${name}: ${outcomes[index]}`),
          calls.map(([name]) => `${name}: storage_unavailable`),
        )
      }
      assert.equal(await outcomeOf(() => pullDispatcher.dispatch(6)), 'storage_unavailable')

      await server.start()
      const results = []
      for (const [name, call] of calls) results.push(`${name}: ${await outcomeOf(call)}`)
      assert.deepEqual(
        results,
        calls.map(([name]) => `${name}: done`),
      )
      await pullDispatcher.dispatch(7)
      assert.equal(await runs.promise, 7)
      // Notifications from another node arrive over the new connection.
      const other = await openNodeStorage(url, clock)
      try {
        await notified.next()
        const listening = () => withDatabase(url, listeningSessions)
        await untilTrue('both nodes listen', async () => (await listening()).length === 2)
        for (const status of ['inactive', 'active'] as const) {
          await createKit({ storage: other, clock }).setStatus(school, status)
          await notified.next()
        }
      } finally {
        await other.close()
        await pullDispatcher.stop()
      }
    })
  }

  for (const [ending, end] of isDeep ? endings : [kill]) {
    test(`when PostgreSQL ${ending}, running batches and transactions are rolled back`, async () => {
      const before = await storage.snapshot.readSnapshot(clock.day)
      await withLock(url, LOCK_R1, async () => {
        const batch = kit.write(
          pushWrite(school, { data: '{"a":1}' }),
          pushWrite(school, { reference: 'r-2' }),
        )
        const rejected = assert.rejects(batch, UNAVAILABLE)
        await withDatabase(url, (observer) => untilLockWaiters(observer, 1))
        // The batch blocks the deactivation.
        const deactivation = assert.rejects(kit.setStatus(school, 'inactive'), UNAVAILABLE)
        await withDatabase(url, (observer) => untilLockWaiters(observer, 2))
        const idle = assert.rejects(runIdleTransaction(storage, end), UNAVAILABLE)
        await Promise.all([rejected, deactivation, idle])
      })
      await server.start()
      assert.deepEqual(await storage.snapshot.readSnapshot(clock.day), before)
      const outcomes = await kit.outcomesOf(
        pushWrite(school, { data: '{"a":1}' }),
        pushWrite(school, { reference: 'r-2' }),
      )
      assert.deepEqual(outcomes, ['updated', 'created'])
    })

    test(`the storage can be closed after PostgreSQL ${ending}`, async () => {
      const other = await openNodeStorage(url, clock)
      await Promise.all([other.checkWritable(), createKit({ storage: other, clock }).records()])
      await end()
      await other.close()
      await server.start()
    })
  }

  test('writes continue after all database sessions are terminated', async () => {
    for (let round = 0; round < rounds(2, 5); round++) {
      const working = Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          outcomeOf(() => kit.write(pushWrite(school, { reference: `r-${round}-${index}` }))),
        ),
      )
      await withDatabase(url, (client) =>
        client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`),
      )
      for (const outcome of await working) assert.match(outcome, /^(done|storage_unavailable)$/)
    }
    await untilDone('the database can be written to', () => storage.checkWritable())
  })

  // faults/postgres-outage.test.ts loses the connections of pushes in the quick tier.
  if (isDeep) {
    test('every acknowledged push is stored exactly once after a crash', async () => {
      const acknowledged: string[] = []
      const pushing = Array.from({ length: 100 }, async (_, index) => {
        const reference = `c-${index}`
        const outcome = await outcomeOf(() => kit.write(pushWrite(school, { reference })))
        if (outcome === 'done') acknowledged.push(reference)
        else assert.equal(outcome, 'storage_unavailable')
        return outcome
      })
      await Promise.race(pushing)
      await server.kill()
      await Promise.all(pushing)
      await server.start()
      const stored = (await kit.records()).map((record) => record.reference_number)
      assert.equal(new Set(stored).size, stored.length)
      for (const reference of acknowledged) assert.ok(stored.includes(reference), reference)
      assert.ok(acknowledged.length > 0)
    })
  }

  if (isDeep)
    test('while all connections wait for a lock, further calls time out, and they succeed later', async () => {
      await withDatabase(url, (observer) =>
        withLock(url, 'LOCK TABLE hub_keys IN ACCESS EXCLUSIVE MODE', async (release) => {
          const writing = Array.from({ length: MAX_WRITERS }, () => kit.write(pushWrite(school)))
          const reading = Array.from({ length: MAX_CONNECTIONS }, () =>
            storage.platforms.listPlatforms(),
          )
          await untilLockWaiters(observer, MAX_WRITERS + MAX_CONNECTIONS)
          const late = [
            kit.write(pushWrite(school)),
            storage.checkWritable(),
            storage.snapshot.readSnapshot(clock.day),
          ]
          await Promise.all(late.map((one) => assert.rejects(one, UNAVAILABLE)))
          await release()
          await Promise.all([...writing, ...reading])
        }),
      )
      await storage.checkWritable()
      assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['unchanged'])
    })

  test('calls fail with storage_unavailable while the connection limit is reached, and succeed later', async () => {
    const owner = new URL(url)
    owner.username = 'few'
    owner.password = 'few'
    await withDatabase(url, (client) =>
      client.query(`CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 3;
        GRANT ALL ON ALL TABLES IN SCHEMA public TO few;
        GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO few; GRANT CREATE ON SCHEMA public TO few`),
    )
    const limited = await openNodeStorage(owner.href, clock, REAL_TIMEOUT)
    try {
      const few = createKit({ storage: limited, clock })
      const many = await Promise.all([
        ...Array.from({ length: 8 }, () => outcomeOf(() => few.records())),
        ...Array.from({ length: 5 }, () => outcomeOf(() => few.write(pushWrite(school)))),
      ])
      assert.deepEqual(new Set(many), new Set(['done', 'storage_unavailable']))
      await withDatabase(url, (client) => client.query('ALTER ROLE few CONNECTION LIMIT 100'))
      await few.write(pushWrite(school))
      await limited.checkWritable()
    } finally {
      await limited.close()
    }
  })

  test('a read-only database can be read, and writes fail with storage_unavailable', async () => {
    const name = new URL(url).pathname.slice(1)
    const setReadOnly = async (value: string) => {
      await withDatabase(server.url, async (client) => {
        await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`)
        // Waits for each session to end, because a signalled session may continue for a while.
        const { rows } = await client.query<{ ended: boolean }>(
          'SELECT pg_terminate_backend(pid, $2) AS ended FROM pg_stat_activity WHERE datname = $1',
          [name, guardMs(60_000)],
        )
        assert.ok(rows.every(({ ended }) => ended))
      })
    }
    await setReadOnly('on')
    await assert.rejects(storage.checkWritable(), UNAVAILABLE)
    await assert.rejects(school.post({ data: '{"a":1}' }), UNAVAILABLE)
    await assert.rejects(kit.setStatus(school, 'inactive'), UNAVAILABLE)
    await untilDone('the database can be read', async () => only(await kit.records()))
    await setReadOnly('off')
    await untilDone('the database can be written to', () => storage.checkWritable())
  })

  test('a transaction that exceeds the idle timeout fails with storage_unavailable', async () => {
    const node = await openNodeStorage(`${url}?idle_in_transaction_session_timeout=50`, clock)
    try {
      const waiting = runIdleTransaction(node, () =>
        withDatabase(url, (observer) =>
          untilTrue('the idle session has ended', async () => {
            const { rowCount } = await observer.query(
              `SELECT FROM pg_stat_activity
               WHERE datname = current_database() AND state = 'idle in transaction'`,
            )
            return rowCount === 0
          }),
        ),
      )
      await assert.rejects(waiting, UNAVAILABLE)
      await node.checkWritable()
    } finally {
      await node.close()
    }
  })
})

/** @returns `done`, the code of a HubError, or a description of any other error. */
async function outcomeOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call()
    return 'done'
  } catch (error) {
    if (!(error instanceof Error)) return String(error)
    return error.name === 'HubError' && 'code' in error ? String(error.code) : `raw ${error.stack}`
  }
}

/**
 * Calls until it succeeds. A pool notices a terminated connection only when it next uses that
 * connection or reads its socket, so the first calls may fail with storage_unavailable.
 */
async function untilDone(goal: string, call: () => Promise<unknown>): Promise<void> {
  await untilTrue(goal, async () => {
    const outcome = await outcomeOf(call)
    assert.match(outcome, /^(done|storage_unavailable)$/)
    return outcome === 'done'
  })
}

/** Runs a Better Auth transaction that awaits `meanwhile` between two statements. */
function runIdleTransaction(storage: Storage, meanwhile: () => Promise<unknown>): Promise<void> {
  return authKysely(storage)
    .transaction()
    .execute(async (db) => {
      await db.updateTable('leases').set({ expires_at: '' }).execute()
      await meanwhile()
      await db.updateTable('leases').set({ expires_at: '' }).execute()
    })
}
