/** News of changes from node to node, over LISTEN and NOTIFY. News may be lost, so nothing rests on it but speed. */
import { sql } from 'kysely'
import pg from 'pg'
import { waitFor } from '../../lib/abortable-loop.ts'
import type { ChangeChannel } from '../portable/platform-store.ts'
import { clientConfig } from './connection.ts'

const CHANNEL = 'recordhub_changes'
const PAUSE_MS = 1000

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

/** Resolves when the connection is over. */
async function listenOnce(url: string, onNews: () => void, signal: AbortSignal): Promise<void> {
  const client = new pg.Client(clientConfig(url))
  const over = new Promise<void>((resolve) => {
    client.once('end', resolve)
    client.once('error', () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  client.on('notification', onNews)
  try {
    await client.connect()
    await client.query(`LISTEN ${CHANNEL}`)
    onNews()
    await over
  } finally {
    await client.end().catch(() => undefined)
  }
}
