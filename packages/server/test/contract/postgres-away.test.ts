/** PostgreSQL that goes away while a hub is at work on it, or has no room: what is said, and how it heals. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { Storage } from '../../src/storage/port/storage.ts'
import { countCalls, openNode, untilWaiting, whileHolding } from '../helpers/postgres/nodes.ts'
import { type PostgresServer, startPostgres } from '../helpers/postgres/server.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import {
  listRecords,
  only,
  pushWrite,
  registerTestPlatform,
  setStatus,
  type TestPlatform,
  words,
  write,
} from '../helpers/storage/fixtures.ts'
import { everyMethod } from '../helpers/storage/methods.ts'
import { withDatabase } from '../helpers/storage/postgres.ts'
import { beginRead } from '../helpers/storage/pulls.ts'
import { authKysely, runSql } from '../helpers/storage/sql.ts'
import { guardMs } from '../helpers/time/guard.ts'
import { untilTrue } from '../helpers/time/until.ts'

const UNAVAILABLE = { name: 'HubError', code: 'storage_unavailable', retryAfterSeconds: 5 }
const LOCK_R1 = `SELECT FROM records WHERE reference_number = 'r-1' FOR UPDATE`

describe('PostgreSQL that goes away', () => {
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
    // Where a test before this one has failed, it may be away still.
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
    ['shut down', () => server.stop()],
    ['killed', () => server.kill()],
  ] as const
  for (const [word, end] of ways) {
    test(`${word}, all of the port says storage_unavailable, and heals once it is back`, async () => {
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
      // Many at once, so that every connection of the pools has been made.
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
      // From another node, over the connection that was made anew.
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

    test(`${word} amid a batch and a transaction, it leaves nothing of them`, async () => {
      const before = await storage.snapshot.readSnapshot(clock.day)
      await whileHolding(url, LOCK_R1, async () => {
        const batch = write(
          { storage, clock },
          pushWrite(school, { data: '{"a":1}' }),
          pushWrite(school, { reference: 'r-2' }),
        )
        const refused = assert.rejects(batch, UNAVAILABLE)
        await withDatabase(url, (observer) => untilWaiting(observer, 1))
        // Waits for the batch.
        const switched = assert.rejects(
          setStatus({ storage, clock }, school, 'inactive'),
          UNAVAILABLE,
        )
        await withDatabase(url, (observer) => untilWaiting(observer, 2))
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
      assert.deepEqual(words(said), ['updated', 'created'])
    })

    test(`${word} before it is closed, the storage closes all the same`, async () => {
      const other = await openNode(url, clock)
      await Promise.all([other.checkWritable(), listRecords(other)])
      await end()
      await other.close()
      await server.start()
    })
  }

  test('each of its sessions ended, work goes on', async () => {
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

  test('an acknowledged push is there after a crash, and none came twice', async () => {
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

  test('with every connection waiting for a lock, more are refused in bounded time, and it heals', async () => {
    const kit = { storage, clock }
    await withDatabase(url, (observer) =>
      whileHolding(url, 'LOCK TABLE hub_keys IN ACCESS EXCLUSIVE MODE', async (release) => {
        // Five write, eight read.
        const writing = Array.from({ length: 5 }, () => write(kit, pushWrite(school)))
        const reading = Array.from({ length: 8 }, () => storage.platforms.listPlatforms())
        await untilWaiting(observer, 13)
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
    assert.deepEqual(words(await write(kit, pushWrite(school))), ['unchanged'])
  })

  test('with no room on the server for more clients, it says so, and heals', async () => {
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

  test('made read-only, it is read and says that it cannot be written to', async () => {
    const name = new URL(url).pathname.slice(1)
    const readOnly = async (is: string) => {
      await withDatabase(server.url, async (client) => {
        await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${is}`)
        // Waits until each session has ended: one that only has been told to may still work for a while.
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

  test('a transaction that was idle for too long is storage_unavailable', async () => {
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

/** `done`, the code of a HubError, or words about any other error. */
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
 * Calls until it is done. A pool learns that the server has ended one of its connections when it next uses that
 * connection or reads its socket, so the first calls after that may be storage_unavailable.
 */
async function untilDone(what: string, call: () => Promise<unknown>): Promise<void> {
  await untilTrue(what, async () => {
    const verdict = await verdictOf(call)
    assert.match(verdict, /^(done|storage_unavailable)$/)
    return verdict === 'done'
  })
}

/** A transaction of Better Auth that waits for something in its middle. */
function holdIdle(storage: Storage, meanwhile: () => Promise<unknown>): Promise<void> {
  return authKysely(storage)
    .transaction()
    .execute(async (db) => {
      await db.updateTable('claims').set({ until: '' }).execute()
      await meanwhile()
      await db.updateTable('claims').set({ until: '' }).execute()
    })
}
