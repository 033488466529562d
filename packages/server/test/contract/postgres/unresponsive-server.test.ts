/** A network that drops all packets: PostgreSQL neither responds nor closes the connection. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { openNodeStorage } from '../../helpers/postgres/nodes.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import {
  listRecords,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { openTemporaryPostgres } from '../../helpers/storage/postgres.ts'

const UNAVAILABLE = { name: 'HubError', code: 'storage_unavailable' }
/** Replaces the default of 40 s. A slow server that responds is faster than this. */
const QUERY_TIMEOUT_MS = 8000
/** Limits how long a failing test runs. */
const CLOSE_LIMIT_MS = 60_000

describe('unresponsive PostgreSQL connections', () => {
  test('calls time out, and later calls use new connections', () =>
    withUnresponsiveServer(async ({ storage, clock, stopTraffic, close }) => {
      const kit = { storage, clock }
      const school = await registerTestPlatform(kit)
      const startCalls = (count: number) => [
        ...Array.from({ length: count }, () => listRecords(storage)),
        ...Array.from({ length: count }, () => write(kit, pushWrite(school))),
        storage.checkWritable(),
      ]
      await Promise.all(startCalls(4))
      stopTraffic()
      const rejected = startCalls(4).map((call) => assert.rejects(call, UNAVAILABLE))
      await Promise.all(rejected)
      // New connections work; the unresponsive ones must not be reused.
      await Promise.all(startCalls(4))
      close()
    }))

  test('the storage can be closed', () =>
    withUnresponsiveServer(async ({ storage, stopTraffic, close }) => {
      await Promise.all([listRecords(storage), storage.checkWritable()])
      stopTraffic()
      const closing = storage.close().then(() => 'closed')
      const first = await Promise.race([closing, pause(CLOSE_LIMIT_MS, 'still open')])
      close()
      await closing
      assert.equal(first, 'closed')
    }))
})

type UnresponsiveServer = {
  storage: Storage
  clock: TestClock
  /** Stops all traffic on the existing connections. */
  stopTraffic: () => void
  /** Closes these connections. */
  close: () => void
}

async function withUnresponsiveServer(
  run: (server: UnresponsiveServer) => Promise<void>,
): Promise<void> {
  const clock = new TestClock()
  const database = await openTemporaryPostgres(clock)
  const target = new URL(database.url)
  const pairs = new Set<[Socket, Socket]>()
  const proxy = createServer((inbound) => {
    const outbound = createConnection(Number(target.port), target.hostname)
    for (const [one, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
    pairs.add([inbound, outbound])
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(database.url)
  url.hostname = '127.0.0.1'
  url.port = String((proxy.address() as AddressInfo).port)
  url.searchParams.set('query_timeout', String(QUERY_TIMEOUT_MS))
  const stopped = new Set<[Socket, Socket]>()
  const close = () => {
    for (const [inbound, outbound] of stopped) {
      inbound.destroy()
      outbound.destroy()
    }
  }
  const storage = await openNodeStorage(url.href, clock)
  try {
    await run({
      storage,
      clock,
      stopTraffic() {
        for (const pair of pairs) {
          for (const socket of pair) socket.unpipe().pause()
          stopped.add(pair)
        }
      },
      close,
    })
  } finally {
    for (const [inbound, outbound] of pairs) {
      inbound.destroy()
      outbound.destroy()
    }
    await storage.close().catch(() => undefined)
    proxy.close()
    await database.close()
  }
}
