/** A network that drops all packets: PostgreSQL neither responds nor closes the connection. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { openNodeStorage, REAL_TIMEOUT } from '../../helpers/postgres/nodes.ts'
import { type PostgresProxy, startPostgresProxy } from '../../helpers/postgres/proxy.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import {
  listRecords,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { openTemporaryPostgres } from '../../helpers/storage/postgres.ts'
import { authKysely } from '../../helpers/storage/sql.ts'

const UNAVAILABLE = { name: 'HubError', code: 'storage_unavailable' }
/** Replaces the default of 40 s. A slow server that responds is faster than this. */
const QUERY_TIMEOUT_MS = 8000
/** Limits how long a failing test runs. */
const CLOSE_LIMIT_MS = 60_000

test('calls time out, and later calls use new connections', () =>
  withUnresponsiveServer(async ({ storage, clock, proxy }) => {
    const kit = { storage, clock }
    const school = await registerTestPlatform(kit)
    const startCalls = (count: number) => [
      ...Array.from({ length: count }, () => listRecords(storage)),
      ...Array.from({ length: count }, () => write(kit, pushWrite(school))),
      storage.checkWritable(),
    ]
    await Promise.all(startCalls(4))
    proxy.freeze()
    const rejected = startCalls(4).map((call) => assert.rejects(call, UNAVAILABLE))
    await Promise.all(rejected)
    // New connections work; the unresponsive ones must not be reused.
    await Promise.all(startCalls(4))
    proxy.closeFrozen()
  }))

test('a transaction ends with the first statement that times out', () =>
  withUnresponsiveServer(async ({ storage, proxy }) => {
    const transaction = authKysely(storage)
      .transaction()
      .execute(async (db) => {
        await db.updateTable('leases').set({ expires_at: '' }).execute()
        proxy.freeze()
        await db.updateTable('leases').set({ owner: 'late' }).execute()
      })
    await assert.rejects(transaction, UNAVAILABLE)
    assert.match(proxy.readFrozen(), /update "leases" set "owner"/)
    assert.doesNotMatch(proxy.readFrozen(), /rollback/i, 'a ROLLBACK would time out too')
    proxy.closeFrozen()
  }))

test('the storage can be closed', () =>
  withUnresponsiveServer(async ({ storage, proxy }) => {
    await Promise.all([listRecords(storage), storage.checkWritable()])
    proxy.freeze()
    const closing = storage.close().then(() => 'closed')
    const first = await Promise.race([closing, pause(CLOSE_LIMIT_MS, 'still open')])
    proxy.closeFrozen()
    await closing
    assert.equal(first, 'closed')
  }))

type UnresponsiveServer = {
  storage: Storage
  clock: TestClock
  /** `freeze` stops all traffic on the existing connections. */
  proxy: PostgresProxy
}

async function withUnresponsiveServer(
  run: (server: UnresponsiveServer) => Promise<void>,
): Promise<void> {
  const clock = new TestClock()
  const database = await openTemporaryPostgres(clock)
  const proxy = await startPostgresProxy(database.url)
  const url = new URL(proxy.url)
  url.searchParams.set('query_timeout', String(QUERY_TIMEOUT_MS))
  const storage = await openNodeStorage(url.href, clock, REAL_TIMEOUT)
  try {
    await run({ storage, clock, proxy })
  } finally {
    proxy.close()
    await storage.close().catch(() => undefined)
    await database.close()
  }
}
