/** News of changes from node to node, over LISTEN and NOTIFY. News may be lost, so nothing rests on it but speed. */
import { type Kysely, sql } from 'kysely'
import { runPeriodically, sleep } from '../../lib/time/run-periodically.ts'
import type { News } from '../port/news.ts'
import type { ChangeChannel } from '../shared/platforms/platform-store.ts'
import type { Tables } from '../shared/schema/tables.ts'
import { openClient } from './connection.ts'
import { LIVING } from './locks.ts'

const CHANNEL = 'recordhub_changes'
const NEWS_CHANNEL = 'recordhub_news'
const PAUSE_MS = 1000
const ASK_EVERY_MS = 15_000

export type ListeningChannel = ChangeChannel & {
  /** What this process and the others tell each other. */
  newsOver: (database: Kysely<Tables>) => News
  close: () => Promise<void>
}

/**
 * Listens on a connection of its own, which is made anew when it breaks. The same connection holds the
 * lock that says that this process lives. Resolves once the first one has been made, or has failed.
 */
export async function openChangeChannel(
  url: string,
  processName: string,
): Promise<ListeningChannel> {
  const listeners: (() => void)[] = []
  const readers: ((words: string) => void)[] = []
  const closing = new AbortController()
  const opened = Promise.withResolvers<void>()
  const tellAll = () => {
    opened.resolve()
    for (const listener of listeners) listener()
  }
  const tellReaders = (payload: string) => {
    const [from, words = ''] = payload.split('\n')
    if (from !== processName) for (const reader of readers) reader(words)
  }
  const listening = keepListening({
    url,
    processName,
    onChanges: tellAll,
    onNews: tellReaders,
    signal: closing.signal,
  })
  await opened.promise
  return {
    async announce(transaction) {
      await sql`SELECT pg_notify(${CHANNEL}, '')`.execute(transaction)
    },
    listen: (listener) => void listeners.push(listener),
    newsOver: (database) => ({
      async announce(words) {
        const told = sql`SELECT pg_notify(${NEWS_CHANNEL}, ${`${processName}\n${words}`})`
        await told.execute(database).catch(() => undefined)
      },
      listen: (listener) => void readers.push(listener),
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
  onChanges: () => void
  onNews: (payload: string) => void
  signal: AbortSignal
}

async function keepListening(parts: Listening): Promise<void> {
  do {
    await listenOnce(parts).catch(() => undefined)
    // What was told meanwhile is not told again.
    parts.onChanges()
  } while (await sleep(PAUSE_MS, parts.signal))
}

/** Resolves or rejects when the connection is over. */
async function listenOnce(parts: Listening): Promise<void> {
  const { url, processName, onChanges, onNews, signal } = parts
  const { client, end } = openClient(url)
  const over = new AbortController()
  client.on('notification', ({ channel, payload = '' }) => {
    if (channel === NEWS_CHANNEL) onNews(payload)
    else onChanges()
  })
  client.once('end', () => over.abort())
  try {
    await client.connect()
    await client.query(`SELECT pg_advisory_lock(${LIVING}, hashtext($1))`, [processName])
    await client.query(`LISTEN ${NEWS_CHANNEL}; LISTEN ${CHANNEL}`)
    onChanges()
    // A connection that has fallen silent is found by asking.
    await runPeriodically(ASK_EVERY_MS, AbortSignal.any([signal, over.signal]), async () => {
      await client.query('SELECT 1')
    })
  } finally {
    await end()
  }
}
