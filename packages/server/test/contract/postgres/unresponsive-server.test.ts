/** A network that drops all packets: PostgreSQL neither responds nor closes the connection. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { openNode } from '../../helpers/postgres/nodes.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import {
  listRecords,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { openTemporaryPostgres } from '../../helpers/storage/postgres.ts'

const UNAVAILABLE = { name: 'HubError', code: 'storage_unavailable' }
/** Replaces the default of 40 s. A slow server that still responds is faster than this. */
const QUERY_TIMEOUT_MS = 8000
/** Limits how long a failing test runs. */
const CLOSE_LIMIT_MS = 60_000

describe('unresponsive PostgreSQL connections', () => {
  test('calls time out, and later calls use new connections', () =>
    withSilence(async ({ storage, clock, silence, end }) => {
      const kit = { storage, clock }
      const school = await registerTestPlatform(kit)
      const workOf = (count: number) => [
        ...Array.from({ length: count }, () => listRecords(storage)),
        ...Array.from({ length: count }, () => write(kit, pushWrite(school))),
        storage.checkWritable(),
      ]
      await Promise.all(workOf(4))
      silence()
      const refused = workOf(4).map((work) => assert.rejects(work, UNAVAILABLE))
      await Promise.all(refused)
      // New connections work; the unresponsive ones must not be reused.
      await Promise.all(workOf(4))
      end()
    }))

  test('the storage can be closed', () =>
    withSilence(async ({ storage, silence, end }) => {
      await Promise.all([listRecords(storage), storage.checkWritable()])
      silence()
      const closing = storage.close().then(() => 'closed')
      const first = await Promise.race([closing, pause(CLOSE_LIMIT_MS, 'still open')])
      end()
      await closing
      assert.equal(first, 'closed')
    }))
})

type Silent = {
  storage: Storage
  clock: TestClock
  /** Stops all traffic on the existing connections. */
  silence: () => void
  /** Closes the silenced connections. */
  end: () => void
}

async function withSilence(run: (parts: Silent) => Promise<void>): Promise<void> {
  const clock = new TestClock()
  const database = await openTemporaryPostgres(clock)
  const target = new URL(database.url)
  const pairs = new Set<[Socket, Socket]>()
  const proxy = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
    pairs.add([near, far])
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(database.url)
  url.hostname = '127.0.0.1'
  url.port = String((proxy.address() as AddressInfo).port)
  url.searchParams.set('query_timeout', String(QUERY_TIMEOUT_MS))
  const silent = new Set<[Socket, Socket]>()
  const end = () => {
    for (const [near, far] of silent) {
      near.destroy()
      far.destroy()
    }
  }
  const storage = await openNode(url.href, clock)
  try {
    await run({
      storage,
      clock,
      silence() {
        for (const pair of pairs) {
          for (const socket of pair) socket.unpipe().pause()
          silent.add(pair)
        }
      },
      end,
    })
  } finally {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
    await storage.close().catch(() => undefined)
    proxy.close()
    await database.close()
  }
}
