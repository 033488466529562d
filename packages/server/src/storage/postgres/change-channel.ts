/** News of changes from node to node, over LISTEN and NOTIFY. News may be lost, so nothing rests on it but speed. */
import { sql } from 'kysely'
import { repeat, waitFor } from '../../lib/abortable-loop.ts'
import type { ChangeChannel } from '../portable/platform-store.ts'
import { openClient } from './connection.ts'
import { LIVING } from './locks.ts'

const CHANNEL = 'recordhub_changes'
const PAUSE_MS = 1000
const ASK_EVERY_MS = 15_000

export type ListeningChannel = ChangeChannel & { close: () => Promise<void> }

/**
 * Listens on a connection of its own, which is made anew when it breaks. The same connection holds the
 * lock that says that this process lives. Resolves once the first one has been made, or has failed.
 */
export async function openChangeChannel(
  url: string,
  processName: string,
): Promise<ListeningChannel> {
  const listeners: (() => void)[] = []
  const closing = new AbortController()
  const opened = Promise.withResolvers<void>()
  const tellAll = () => {
    opened.resolve()
    for (const listener of listeners) listener()
  }
  const listening = keepListening({ url, processName, onNews: tellAll, signal: closing.signal })
  await opened.promise
  return {
    async announce(transaction) {
      await sql`SELECT pg_notify(${CHANNEL}, '')`.execute(transaction)
    },
    listen: (listener) => void listeners.push(listener),
    async close() {
      closing.abort()
      await listening
    },
  }
}

type Listening = { url: string; processName: string; onNews: () => void; signal: AbortSignal }

async function keepListening(parts: Listening): Promise<void> {
  do {
    await listenOnce(parts).catch(() => undefined)
    // What was told meanwhile is not told again.
    parts.onNews()
  } while (await waitFor(PAUSE_MS, parts.signal))
}

/** Resolves or rejects when the connection is over. */
async function listenOnce({ url, processName, onNews, signal }: Listening): Promise<void> {
  const { client, end } = openClient(url)
  const over = new AbortController()
  client.on('notification', onNews)
  client.once('end', () => over.abort())
  try {
    await client.connect()
    await client.query(`SELECT pg_advisory_lock(${LIVING}, hashtext($1))`, [processName])
    await client.query(`LISTEN ${CHANNEL}`)
    onNews()
    // A connection that has fallen silent is found by asking.
    await repeat(ASK_EVERY_MS, AbortSignal.any([signal, over.signal]), async () => {
      await client.query('SELECT 1')
    })
  } finally {
    await end()
  }
}
