/** PostgreSQL in tests: databases are copied from a template, and reused by later tests. */
import { memoizeAsync } from '../../../src/lib/concurrency/memoize-async.ts'
import type { Clock } from '../../../src/lib/time/clock.ts'
import { openDiagnostics } from '../../../src/storage/postgres/diagnostics.ts'
import { openPostgres } from '../../../src/storage/postgres/storage.ts'
import { testServerUrl } from '../postgres/database.ts'
import { connectToEmpty } from '../postgres/empty-database.ts'
import { createHubDatabase } from '../postgres/hub-database.ts'
import { TEST_POSTGRES_OPTIONS } from '../postgres/prepare-database.ts'
import { startSessionPool } from '../postgres/session-pool.ts'
import type { OpenedStorage, StorageEngine } from './engine.ts'

export const postgresEngine: StorageEngine = {
  name: 'PostgreSQL',
  open: ({ clock, withThreads = false }) => openTemporaryPostgres(clock, withThreads),
}

type ReusedDatabase = { url: string; empty: () => Promise<void> }

const free: ReusedDatabase[] = []

const poolUrl = memoizeAsync(async () => startSessionPool(await testServerUrl()))

/** The URL of a database of the server for tests, through the pool. */
async function pooled(url: string): Promise<string> {
  const through = new URL(url)
  through.host = new URL(await poolUrl()).host
  return through.href
}

async function createReusedDatabase(): Promise<ReusedDatabase> {
  const { url } = await createHubDatabase()
  return { url: await pooled(url), empty: connectToEmpty(url) }
}

export async function openTemporaryPostgres(
  clock: Clock,
  withThreads = false,
): Promise<OpenedStorage & { url: string }> {
  const database = free.pop() ?? (await createReusedDatabase())
  const { url } = database
  const options = { url, timeZone: 'UTC', ...TEST_POSTGRES_OPTIONS, clock, withThreads }
  const open = () => openPostgres(options)
  let storage = await open()
  return {
    url,
    storage,
    async reopen() {
      await storage.close()
      storage = await open()
      return storage
    },
    openDiagnostics: () => openDiagnostics(url),
    async close() {
      await storage.close()
      await database.empty()
      free.push(database)
    },
  }
}
