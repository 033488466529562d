/** PostgreSQL in tests: databases are copied from a template, and reused by later tests. */
import type { Client } from 'pg'
import type { Clock } from '../../../src/lib/time/clock.ts'
import { openDiagnostics } from '../../../src/storage/postgres/diagnostics.ts'
import { openPostgres } from '../../../src/storage/postgres/storage.ts'
import { createHubDatabase, type TestDatabase, withDatabase } from '../postgres/database.ts'
import { hashReference, type OpenedStorage, type StorageEngine } from './engine.ts'
import { runSql } from './sql.ts'

export { withDatabase }

/** Fails immediately if the database is unavailable. */
export const TEST_POSTGRES_OPTIONS = {
  asHub: true,
  waiting: { seconds: 0 },
  warn: () => undefined,
  hashReference,
}

export const postgresEngine: StorageEngine = {
  name: 'PostgreSQL',
  schedulesSeconds: false,
  async readScheduleTime(storage) {
    const [row] = await runSql(storage, 'SELECT extract(epoch FROM clock_timestamp()) AS seconds')
    return Number(row?.['seconds']) * 1000
  },
  open: ({ clock }) => openTemporaryPostgres(clock),
}

const free: TestDatabase[] = []

export async function openTemporaryPostgres(
  clock: Clock,
): Promise<OpenedStorage & { url: string }> {
  const database = free.pop() ?? (await createHubDatabase())
  const { url } = database
  const open = () => openPostgres({ url, timeZone: 'UTC', ...TEST_POSTGRES_OPTIONS, clock })
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
      await withDatabase(url, empty)
      free.push(database)
    },
  }
}

/** Creates the tables of a hub and of pg-boss. */
export async function prepareDatabase(url: string): Promise<void> {
  const storage = await openPostgres({ url, timeZone: 'UTC', ...TEST_POSTGRES_OPTIONS })
  const handlers = { runPull: async () => undefined, onSchedule: async () => undefined }
  await storage.pullDispatcher.start(handlers, null)
  await storage.pullDispatcher.stop()
  await storage.close()
}

/**
 * Deletes all rows and restarts all sequences. TRUNCATE creates a new file for each of a hundred tables and indexes,
 * which takes longer than most tests.
 */
async function empty(client: Client): Promise<void> {
  await client.query(`
    SET session_replication_role = replica;
    DO $$
      DECLARE name text;
      BEGIN
        FOR name IN SELECT format('%I', tablename) FROM pg_tables
          WHERE schemaname = 'public' AND tablename NOT LIKE 'kysely%' AND tablename <> 'alert_feed'
        LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
        FOR name IN SELECT format('%I.%I', schemaname, sequencename) FROM pg_sequences
          WHERE schemaname = 'public' AND last_value IS NOT NULL
        LOOP EXECUTE 'ALTER SEQUENCE ' || name || ' RESTART'; END LOOP;
      END
    $$;
    UPDATE alert_feed SET last_event_id = 0;
    DROP SCHEMA IF EXISTS recordhub_views CASCADE;
    DELETE FROM pgboss.job;
    DELETE FROM pgboss.schedule`)
}
