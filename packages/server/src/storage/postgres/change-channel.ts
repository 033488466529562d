/** News of changes from node to node, over LISTEN and NOTIFY. News may be lost, so nothing rests on it but speed. */
import { sql } from 'kysely'
import { repeat, waitFor } from '../../lib/abortable-loop.ts'
import type { ChangeChannel } from '../portable/platform-store.ts'
import { openClient } from './connection.ts'

const CHANNEL = 'recordhub_changes'
const PAUSE_MS = 1000
const ASK_EVERY_MS = 15_000

export type ListeningChannel = ChangeChannel & { close: () => Promise<void> }

/** Listens on a connection of its own, which is made anew when it breaks. */
export function openChangeChannel(url: string): ListeningChannel {
  const listeners: (() => void)[] = []
  const closing = new AbortController()
  const tellAll = () => {
    for (const listener of listeners) listener()
  }
  const listening = keepListening(url, tellAll, closing.signal)
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

async function keepListening(url: string, onNews: () => void, signal: AbortSignal): Promise<void> {
  do {
    await listenOnce(url, onNews, signal).catch(() => undefined)
    // What was told meanwhile is not told again.
    onNews()
  } while (await waitFor(PAUSE_MS, signal))
}

/** Resolves or rejects when the connection is over. */
async function listenOnce(url: string, onNews: () => void, signal: AbortSignal): Promise<void> {
  const { client, end } = openClient(url)
  const over = new AbortController()
  client.on('notification', onNews)
  client.once('end', () => over.abort())
  try {
    await client.connect()
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
