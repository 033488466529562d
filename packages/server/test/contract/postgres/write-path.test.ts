/** The write path of PostgreSQL: locks, write-ahead log, deadlocks and session settings. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Client } from 'pg'
import { IdBitset } from '../../../src/lib/collections/id-bitset.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { withDatabase } from '../../helpers/postgres/database.ts'
import {
  openNodeStorage,
  test as testOnTwoNodes,
  untilLockWaiters,
  withLock,
} from '../../helpers/postgres/nodes.ts'
import { type PostgresServer, startPostgres } from '../../helpers/postgres/server.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import { createTest } from '../../helpers/storage/engines.ts'
import { only, outcomesOf, pushWrite } from '../../helpers/storage/fixtures.ts'
import { createKit } from '../../helpers/storage/kit.ts'
import { postgresEngine } from '../../helpers/storage/postgres.ts'
import { pullWrite, startPullAndRead } from '../../helpers/storage/pulls.ts'
import { runSql } from '../../helpers/storage/sql.ts'

const testOnPostgres = createTest({ engines: [postgresEngine] })

describe('the write-ahead log of PostgreSQL', () => {
  let server: PostgresServer
  before(async () => {
    // Only the hub writes to the write-ahead log.
    const settings = { wal_level: 'minimal', max_wal_senders: '0', autovacuum: 'off' }
    server = await startPostgres({ settings })
  })
  after(() => server.remove())

  test('a pull without changes and reading the dashboard write nothing to the log', async () => {
    const clock = new TestClock()
    const storage = await openNodeStorage(server.url, clock)
    try {
      const kit = createKit({ storage, clock })
      const school = await kit.register()
      const references = Array.from({ length: 500 }, (_, index) => `r-${index}`)
      await school.pull(async (read) => {
        await kit.write(...references.map((reference) => pullWrite(read, { reference })))
      })
      await withDatabase(server.url, async (observer) => {
        const read = await school.startRead()
        const again = references.map((reference) => pullWrite(read, { reference }))
        // The first read of a row after a write may set hint bits in it.
        const first = { ...read, read: { ...read.read, seen: new IdBitset() } }
        await kit.write(...references.map((reference) => pullWrite(first, { reference })))
        const readDashboard = async () => {
          await storage.snapshot.readSnapshot(clock.day)
          await kit.records()
          await storage.platforms.findPlatformByKey(school.key_hash, clock.text)
          await storage.pulls.readPull(read.read.pull_id)
        }
        await readDashboard()
        await observer.query('CHECKPOINT')
        const before = await readLogPosition(observer)
        assert.deepEqual(new Set(await kit.outcomesOf(...again)), new Set(['unchanged']))
        assert.deepEqual(await readLogPosition(observer), before)
        await readDashboard()
        assert.deepEqual(await readLogPosition(observer), before)
        await kit.write(pullWrite(read, { reference: 'new' }))
        assert.notDeepEqual(await readLogPosition(observer), before)
      })
    } finally {
      await storage.close()
    }
  })
})

testOnPostgres(
  'records with the same concatenation of type and reference are stored separately',
  async (kit) => {
    const school = await kit.register({ modules: ['a', 'a b'] })
    const results = await kit.write(
      pushWrite(school, { record_type: 'a', reference: 'b c', data: '{"a":1}' }),
      pushWrite(school, { record_type: 'a b', reference: 'c', data: '{"a":2}' }),
    )
    assert.deepEqual(outcomesOf(results), ['created', 'created'])
    const stored = (await kit.records()).map(
      ({ record_type, reference_number, data }) => `${record_type}/${reference_number} ${data}`,
    )
    assert.deepEqual(stored, ['a/b c {"a":1}', 'a b/c {"a":2}'])
  },
)

for (const [kind, count] of [
  ['pushes', 3],
  ['pulled records', 3],
] as const) {
  testOnTwoNodes(
    `a batch of ${kind} that the server aborts because of a deadlock is retried`,
    async ({ url, clock, nodeA, observer }) => {
      const storage = await openNodeStorage(`${url}?options=-c%20deadlock_timeout%3D300ms`, clock)
      try {
        const kit = createKit({ storage, clock })
        const school = await nodeA.register()
        const names = Array.from({ length: count }, (_, index) => `r-${index + 1}`)
        await nodeA.write(...names.map((reference) => pushWrite(school, { reference })))
        const read = await startPullAndRead(storage, school)
        const writes = names.map((reference) =>
          kind === 'pushes'
            ? pushWrite(school, { reference, data: '{"a":1}' })
            : pullWrite(read, { reference, data: '{"a":1}' }),
        )
        await withDatabase(url, async (other) => {
          await other.query(`SET deadlock_timeout = '1h'`)
          await other.query('BEGIN')
          await other.query(lock('r-3'))
          const { settled, locked } = await withLock(url, lock('r-2'), async () => {
            const settled = kit.outcomesOf(...writes).catch((error) => [String(error)])
            await untilLockWaiters(observer, 1)
            // The batch has locked r-1 and waits for r-2.
            const locked = other.query(lock('r-1'))
            await untilLockWaiters(observer, 2)
            return { settled, locked }
          })
          // The batch waits for r-3 last, so it detects the deadlock.
          await locked
          await other.query('ROLLBACK')
          assert.deepEqual(await settled, ['updated', 'updated', 'updated'])
        })
      } finally {
        await storage.close()
      }
    },
  )
}

testOnPostgres(
  'a write that the server rejects during the lookup does not affect the rest of its batch',
  async (kit) => {
    const school = await kit.register()
    const results = await kit.write(
      pushWrite(school),
      pushWrite(school, { reference: 'r-2', full_name: 'An\0n' }),
      pushWrite(school, { reference: 'r-\0' }),
      pushWrite(school, { reference: 'r-3' }),
    )
    const rejected = 'record_not_storable'
    assert.deepEqual(outcomesOf(results), ['created', rejected, rejected, 'created'])
  },
)

testOnPostgres('a sequence number above 2^53 - 1 is an error and is not rounded', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post()
  await kit.runSql(`SELECT setval('write_sequence', 9007199254740991)`)
  await assert.rejects(kit.write(pushWrite(school, { data: '{"a":1}' })), /too large/)
  assert.equal((await kit.storage.records.readRecord(record_id))?.data, '{}')
  await kit.runSql('UPDATE records SET change_seq = 9007199254740993')
  await assert.rejects(kit.records(), /too large/)
  await kit.runSql('UPDATE records SET change_seq = 9007199254740991')
  assert.equal(only(await kit.records()).change_seq, 9007199254740991)
  await kit.runSql(`SELECT setval('write_sequence', 7)`)
  assert.deepEqual(await kit.outcomesOf(pushWrite(school, { data: '{"a":1}' })), ['updated'])
})

testOnTwoNodes(
  'sessions use synchronous commit and have timeouts, even if the URL or the database sets others',
  async ({ url, clock, observer }) => {
    const name = new URL(url).pathname.slice(1)
    await observer.query(`ALTER DATABASE ${name} SET synchronous_commit = off`)
    const storage = await openNodeStorage(`${url}?synchronous_commit=off`, clock)
    try {
      const kit = createKit({ storage, clock })
      const school = await kit.register()
      await observer.query(RECORD_SETTINGS)
      await school.post()
      const writer = only((await observer.query('SELECT * FROM recorded_settings')).rows)
      assert.deepEqual(writer, { ...SETTINGS, lock_timeout: '10s' })
      const reader = only(await kit.runSql(`SELECT ${settingsOf(SETTINGS)}`))
      assert.deepEqual(reader, SETTINGS)
    } finally {
      await storage.close()
      await observer.query('DROP TABLE recorded_settings; DROP FUNCTION record_settings CASCADE')
      await observer.query(`ALTER DATABASE ${name} RESET synchronous_commit`)
    }
  },
)

testOnTwoNodes(
  'a node without its own clock uses the time of the database',
  async ({ url, nodeA, observer }) => {
    await observer.query(`CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql
        AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$`)
    let storage: Storage | null = null
    try {
      await nodeA.register()
      storage = await openNodeStorage(`${url}?options=-c%20search_path%3Dpublic,pg_catalog`)
      const before = await timeOf(observer)
      const lease = { owner: 'node', seconds: 30 }
      const { pull } = await storage.pulls.requestPull({
        trigger: 'api',
        requested_by: null,
        lease,
        only: null,
      })
      const after = await timeOf(observer)
      const [row] = await runSql(storage, 'SELECT lease_until FROM pulls')
      const requestedAt = Date.parse(pull.requested_at)
      const leaseUntil = Date.parse(String(row?.['lease_until']))
      // The time of the database lies between the two measured times.
      for (const at of [requestedAt, leaseUntil - 30_000]) {
        assert.ok(at >= before + 3_600_000 - 1000 && at <= after + 3_600_000 + 1000)
      }
    } finally {
      await storage?.close()
      await observer.query('DROP FUNCTION public.clock_timestamp()')
    }
  },
)

const SETTINGS = {
  synchronous_commit: 'on',
  jit: 'off',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '30s',
}

const RECORD_SETTINGS = `
  CREATE TABLE recorded_settings AS SELECT ${settingsOf({ ...SETTINGS, lock_timeout: '' })} LIMIT 0;
  CREATE FUNCTION record_settings() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO recorded_settings SELECT ${settingsOf({ ...SETTINGS, lock_timeout: '' })};
    RETURN NULL;
  END $$;
  CREATE TRIGGER record_settings AFTER INSERT ON records EXECUTE FUNCTION record_settings()`

function settingsOf(settings: Record<string, string>): string {
  return Object.keys(settings)
    .map((name) => `current_setting('${name}') AS ${name}`)
    .join(', ')
}

function lock(reference: string): string {
  return `SELECT FROM records WHERE reference_number = '${reference}' FOR UPDATE`
}

async function readLogPosition(client: Client): Promise<unknown> {
  const { rows } = await client.query(
    `SELECT pg_current_wal_insert_lsn() AS log, pg_snapshot_xmax(pg_current_snapshot()) AS next`,
  )
  return rows
}

async function timeOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ at: string }>(
    'SELECT extract(epoch FROM pg_catalog.clock_timestamp()) * 1000 AS at',
  )
  return Number(rows[0]?.at)
}
