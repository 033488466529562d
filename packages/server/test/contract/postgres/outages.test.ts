/** Errors and recovery when PostgreSQL stops, is read-only or runs out of connections. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { countCalls, openNode, untilLockWaiters, withLock } from '../../helpers/postgres/nodes.ts'
import { type PostgresServer, startPostgres } from '../../helpers/postgres/server.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import {
  listRecords,
  only,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  setStatus,
  type TestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { everyMethod } from '../../helpers/storage/methods.ts'
import { withDatabase } from '../../helpers/storage/postgres.ts'
import { beginRead } from '../../helpers/storage/pulls.ts'
import { authKysely, runSql } from '../../helpers/storage/sql.ts'
import { guardMs } from '../../helpers/time/guard.ts'
import { untilTrue } from '../../helpers/time/until.ts'

const UNAVAILABLE = { name: 'HubError', code: 'storage_unavailable', retryAfterSeconds: 5 }
const LOCK_R1 = `SELECT FROM records WHERE reference_number = 'r-1' FOR UPDATE`

describe('PostgreSQL outages', () => {
  let server: PostgresServer
  let url: string
  let storage: Storage
  let school: TestPlatform
  let count = 0
  const clock = new TestClock()
  before(async () => {
    server = await startPostgres()
  })
  beforeEach(async () => {
    // The server may still be stopped after a failed test.
    await server.start().catch(() => undefined)
    const name = `hub_${count++}`
    await withDatabase(server.url, (client) => client.query(`CREATE DATABASE ${name}`))
    url = server.url.replace(/\/postgres$/, `/${name}`)
    storage = await openNode(url, clock)
    school = await registerTestPlatform({ storage, clock })
    await write({ storage, clock }, pushWrite(school))
  })
  afterEach(() => storage.close())
  after(() => server.remove())

  const ways = [
    ['is shut down', () => server.stop()],
    ['is killed', () => server.kill()],
  ] as const
  for (const [word, end] of ways) {
    test(`when PostgreSQL ${word}, every storage method returns storage_unavailable until it is back`, async () => {
      const { pullDispatcher } = storage
      const runs = Promise.withResolvers<number>()
      const handlers = {
        runPull: async (id: number) => runs.resolve(id),
        onSchedule: async () => undefined,
      }
      const heard = countCalls()
      storage.platforms.onChange(heard.call)
      await pullDispatcher.start(handlers, '17 * * * *')
      const read = await beginRead(storage, school)
      const calls = everyMethod(storage, { clock, school, read })
      // Concurrent calls open every connection of the pools.
      await Promise.all(calls.slice(0, -1).map(([, call]) => call()))

      await end()
      const away = await Promise.all(calls.map(([, call]) => verdictOf(call)))
      const again = []
      for (const [, call] of calls) again.push(await verdictOf(call))
      for (const verdicts of [away, again]) {
        assert.deepEqual(
          calls.map(([name], index) => `${name}: ${verdicts[index]}`),
          calls.map(([name]) => `${name}: storage_unavailable`),
        )
      }
      assert.equal(await verdictOf(() => pullDispatcher.dispatch(6)), 'storage_unavailable')

      await server.start()
      const back = []
      for (const [name, call] of calls) back.push(`${name}: ${await verdictOf(call)}`)
      assert.deepEqual(
        back,
        calls.map(([name]) => `${name}: done`),
      )
      await pullDispatcher.dispatch(7)
      assert.equal(await runs.promise, 7)
      const schedule = await runSql(storage, 'SELECT cron FROM pgboss.schedule')
      assert.equal(only(schedule)['cron'], '17 * * * *')
      assert.ok(pullDispatcher.nextRun())
      // Notifications from another node arrive over the new connection.
      const other = await openNode(url, clock)
      await heard.next()
      await untilTrue('it listens again', async () => {
        const rows = await runSql(
          storage,
          `SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND state = 'idle'
           AND datname = current_database()`,
        )
        return rows.length === 2
      })
      for (const status of ['inactive', 'active'] as const) {
        await setStatus({ storage: other, clock }, school, status)
        await heard.next()
      }
      await other.close()
      await pullDispatcher.stop()
    })

    test(`when PostgreSQL ${word}, running batches and transactions are rolled back`, async () => {
      const before = await storage.snapshot.readSnapshot(clock.day)
      await withLock(url, LOCK_R1, async () => {
        const batch = write(
          { storage, clock },
          pushWrite(school, { data: '{"a":1}' }),
          pushWrite(school, { reference: 'r-2' }),
        )
        const refused = assert.rejects(batch, UNAVAILABLE)
        await withDatabase(url, (observer) => untilLockWaiters(observer, 1))
        // Blocked by the batch.
        const switched = assert.rejects(
          setStatus({ storage, clock }, school, 'inactive'),
          UNAVAILABLE,
        )
        await withDatabase(url, (observer) => untilLockWaiters(observer, 2))
        const idle = assert.rejects(holdIdle(storage, end), UNAVAILABLE)
        await Promise.all([refused, switched, idle])
      })
      await server.start()
      assert.deepEqual(await storage.snapshot.readSnapshot(clock.day), before)
      const said = await write(
        { storage, clock },
        pushWrite(school, { data: '{"a":1}' }),
        pushWrite(school, { reference: 'r-2' }),
      )
      assert.deepEqual(outcomesOf(said), ['updated', 'created'])
    })

    test(`the storage closes even when PostgreSQL ${word} before`, async () => {
      const other = await openNode(url, clock)
      await Promise.all([other.checkWritable(), listRecords(other)])
      await end()
      await other.close()
      await server.start()
    })
  }

  test('writes continue after all database sessions are terminated', async () => {
    const kit = { storage, clock }
    for (let round = 0; round < 5; round++) {
      const working = Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          verdictOf(() => write(kit, pushWrite(school, { reference: `r-${round}-${index}` }))),
        ),
      )
      await withDatabase(url, (client) =>
        client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`),
      )
      for (const verdict of await working) assert.match(verdict, /^(done|storage_unavailable)$/)
    }
    await untilDone('the database can be written to', () => storage.checkWritable())
  })

  test('every acknowledged push is stored exactly once after a crash', async () => {
    const kit = { storage, clock }
    const acknowledged: string[] = []
    const pushing = Array.from({ length: 100 }, async (_, index) => {
      const reference = `c-${index}`
      const outcome = await verdictOf(() => write(kit, pushWrite(school, { reference })))
      if (outcome === 'done') acknowledged.push(reference)
      else assert.equal(outcome, 'storage_unavailable')
      return outcome
    })
    await Promise.race(pushing)
    await server.kill()
    await Promise.all(pushing)
    await server.start()
    const stored = (await listRecords(storage)).map((record) => record.reference_number)
    assert.equal(new Set(stored).size, stored.length)
    for (const reference of acknowledged) assert.ok(stored.includes(reference), reference)
    assert.ok(acknowledged.length > 0)
  })

  test('while all connections wait for a lock, further calls fail in bounded time and later succeed', async () => {
    const kit = { storage, clock }
    await withDatabase(url, (observer) =>
      withLock(url, 'LOCK TABLE hub_keys IN ACCESS EXCLUSIVE MODE', async (release) => {
        // Five writers and eight readers use all connections.
        const writing = Array.from({ length: 5 }, () => write(kit, pushWrite(school)))
        const reading = Array.from({ length: 8 }, () => storage.platforms.listPlatforms())
        await untilLockWaiters(observer, 13)
        const late = [
          write(kit, pushWrite(school)),
          storage.checkWritable(),
          storage.snapshot.readSnapshot(clock.day),
        ]
        await Promise.all(late.map((one) => assert.rejects(one, UNAVAILABLE)))
        await release()
        await Promise.all([...writing, ...reading])
      }),
    )
    await storage.checkWritable()
    assert.deepEqual(outcomesOf(await write(kit, pushWrite(school))), ['unchanged'])
  })

  test('calls fail with storage_unavailable while the connection limit is reached, and later succeed', async () => {
    const owner = new URL(url)
    owner.username = 'few'
    owner.password = 'few'
    await withDatabase(url, (client) =>
      client.query(`CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 3;
        GRANT ALL ON ALL TABLES IN SCHEMA public TO few;
        GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO few; GRANT CREATE ON SCHEMA public TO few`),
    )
    const crowded = await openNode(owner.href, clock)
    try {
      const kit = { storage: crowded, clock }
      const many = await Promise.all([
        ...Array.from({ length: 8 }, () => verdictOf(() => listRecords(crowded))),
        ...Array.from({ length: 5 }, () => verdictOf(() => write(kit, pushWrite(school)))),
      ])
      assert.deepEqual(new Set(many), new Set(['done', 'storage_unavailable']))
      await withDatabase(url, (client) => client.query('ALTER ROLE few CONNECTION LIMIT 100'))
      await write(kit, pushWrite(school))
      await crowded.checkWritable()
    } finally {
      await crowded.close()
    }
  })

  test('a read-only database can be read, and writes fail with storage_unavailable', async () => {
    const name = new URL(url).pathname.slice(1)
    const readOnly = async (is: string) => {
      await withDatabase(server.url, async (client) => {
        await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${is}`)
        // Waits for each session to end, because a signalled session may keep working for a while.
        const { rows } = await client.query<{ ended: boolean }>(
          'SELECT pg_terminate_backend(pid, $2) AS ended FROM pg_stat_activity WHERE datname = $1',
          [name, guardMs(60_000)],
        )
        assert.ok(rows.every(({ ended }) => ended))
      })
    }
    await readOnly('on')
    await assert.rejects(storage.checkWritable(), UNAVAILABLE)
    await assert.rejects(
      write({ storage, clock }, pushWrite(school, { data: '{"a":1}' })),
      UNAVAILABLE,
    )
    await assert.rejects(setStatus({ storage, clock }, school, 'inactive'), UNAVAILABLE)
    await untilDone('the database can be read', async () => only(await listRecords(storage)))
    await readOnly('off')
    await untilDone('the database can be written to', () => storage.checkWritable())
  })

  test('a transaction that exceeds the idle timeout fails with storage_unavailable', async () => {
    const hasty = await openNode(`${url}?idle_in_transaction_session_timeout=50`, clock)
    try {
      const waiting = holdIdle(hasty, () =>
        withDatabase(url, (observer) =>
          untilTrue('the idle session is gone', async () => {
            const { rowCount } = await observer.query(
              `SELECT FROM pg_stat_activity
               WHERE datname = current_database() AND state = 'idle in transaction'`,
            )
            return rowCount === 0
          }),
        ),
      )
      await assert.rejects(waiting, UNAVAILABLE)
      await hasty.checkWritable()
    } finally {
      await hasty.close()
    }
  })
})

/** @returns `done`, the code of a HubError, or a description of any other error. */
async function verdictOf(call: () => Promise<unknown>): Promise<string> {
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
async function untilDone(what: string, call: () => Promise<unknown>): Promise<void> {
  await untilTrue(what, async () => {
    const verdict = await verdictOf(call)
    assert.match(verdict, /^(done|storage_unavailable)$/)
    return verdict === 'done'
  })
}

/** Runs a Better Auth transaction that awaits `meanwhile` between two statements. */
function holdIdle(storage: Storage, meanwhile: () => Promise<unknown>): Promise<void> {
  return authKysely(storage)
    .transaction()
    .execute(async (db) => {
      await db.updateTable('leases').set({ expires_at: '' }).execute()
      await meanwhile()
      await db.updateTable('leases').set({ expires_at: '' }).execute()
    })
}
