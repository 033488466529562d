/** Creates the tables of a hub in a database for tests. */
import { openPostgres } from '../../../src/storage/postgres/storage.ts'
import { hashReference } from '../storage/engine.ts'

/** Fails immediately if the database is unavailable. */
export const TEST_POSTGRES_OPTIONS = {
  asHub: true,
  waiting: { seconds: 0 },
  warn: () => undefined,
  hashReference,
  withThreads: false,
  /** Of many concurrent calls, the last one waits for all others, on a slow machine. */
  connectTimeoutMs: 300_000,
}

/** Creates the tables of a hub and of pg-boss. */
export async function prepareDatabase(url: string): Promise<void> {
  const storage = await openPostgres({ url, timeZone: 'UTC', ...TEST_POSTGRES_OPTIONS })
  await storage.pullDispatcher.start(async () => undefined)
  await storage.pullDispatcher.stop()
  await storage.close()
}
