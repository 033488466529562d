/**
 * Notifications between the nodes on one database, over LISTEN and NOTIFY. They may be lost, so they only invalidate
 * caches and cause live updates.
 */
import { type Kysely, sql } from 'kysely'
import { runPeriodically, sleep } from '../../lib/time/run-periodically.ts'
import type { Broadcast } from '../port/storage.ts'
import type { ChangeChannel } from '../shared/platforms/platform-store.ts'
import type { ChangePublisher } from '../shared/publish-commits.ts'
import type { Tables } from '../shared/schema/tables.ts'
import { openClient, type SingleConnection } from './connection.ts'
import { LIVENESS_LOCK } from './locks.ts'

/** Invalidates the caches of platforms, modules and hub keys. */
const PLATFORMS_CHANNEL = 'recordhub_changes'
/** Carries messages of `Broadcast`, each with the name of its sender. */
const BROADCAST_CHANNEL = 'recordhub_broadcast'
const RECONNECT_AFTER_MS = 1000
const KEEPALIVE_INTERVAL_MS = 15_000

export type Notifications = {
  platformChanges: ChangeChannel
  createBroadcast: (database: Kysely<Tables>, commits: ChangePublisher) => Broadcast
  close: () => Promise<void>
}

/**
 * Listens on a connection of its own and reconnects when that breaks. The same connection holds the lock that proves
 * that this process is alive. Resolves after the first attempt to listen.
 * @param connection is used until it breaks.
 */
export async function openNotifications(
  connection: SingleConnection,
  { url, processName }: { url: string; processName: string },
): Promise<Notifications> {
  const platformListeners: (() => void)[] = []
  const messageListeners: ((message: string) => void)[] = []
  const closing = new AbortController()
  const attempted = Promise.withResolvers<void>()
  const onPlatformChange = () => {
    attempted.resolve()
    for (const listener of platformListeners) listener()
  }
  const onBroadcast = (payload: string) => {
    const [sender, message = ''] = payload.split('\n')
    if (sender !== processName) for (const listener of messageListeners) listener(message)
  }
  const listening = listenUntilClosed(connection, {
    ...{ url, processName, onPlatformChange, onBroadcast, signal: closing.signal },
  })
  await attempted.promise
  return {
    platformChanges: {
      async publish(transaction) {
        await sql`SELECT pg_notify(${PLATFORMS_CHANNEL}, '')`.execute(transaction)
      },
      subscribe: (listener) => void platformListeners.push(listener),
    },
    createBroadcast: (database, commits) => ({
      onCommit: commits.subscribe,
      async publish(message) {
        const notify = sql`SELECT pg_notify(${BROADCAST_CHANNEL}, ${`${processName}\n${message}`})`
        await notify.execute(database).catch(() => undefined)
      },
      subscribe: (listener) => void messageListeners.push(listener),
    }),
    async close() {
      closing.abort()
      await listening
    },
  }
}

type Listening = {
  url: string
  processName: string
  onPlatformChange: () => void
  onBroadcast: (payload: string) => void
  signal: AbortSignal
}

async function listenUntilClosed(first: SingleConnection, listening: Listening): Promise<void> {
  let connected: SingleConnection | null = first
  do {
    await listenOnce(connected, listening).catch(() => undefined)
    connected = null
    // Notifications sent while there was no connection are lost, so caches are invalidated.
    listening.onPlatformChange()
  } while (await sleep(RECONNECT_AFTER_MS, listening.signal))
}

/** Resolves or rejects when the connection ends. */
async function listenOnce(connected: SingleConnection | null, listening: Listening): Promise<void> {
  const { url, processName, onPlatformChange, onBroadcast, signal } = listening
  const { client, end } = connected ?? openClient(url)
  const ended = new AbortController()
  client.on('notification', ({ channel, payload = '' }) => {
    if (channel === BROADCAST_CHANNEL) onBroadcast(payload)
    else onPlatformChange()
  })
  client.once('end', () => ended.abort())
  try {
    if (!connected) await client.connect()
    await client.query(`SELECT pg_advisory_lock(${LIVENESS_LOCK}, hashtext($1))`, [processName])
    await client.query(`LISTEN ${BROADCAST_CHANNEL}; LISTEN ${PLATFORMS_CHANNEL}`)
    onPlatformChange()
    // Only a query detects a dead connection.
    const either = AbortSignal.any([signal, ended.signal])
    await runPeriodically(KEEPALIVE_INTERVAL_MS, either, async () => {
      await client.query('SELECT 1')
    })
  } finally {
    await end()
  }
}
