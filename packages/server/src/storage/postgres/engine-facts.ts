import { sql } from 'kysely'
import type { EngineFacts } from '../port/storage.ts'
import type { Executor } from '../shared/schema/databases.ts'

/** The whole database that the hub works in, indexes included. */
export async function readEngine(db: Executor): Promise<EngineFacts> {
  const { rows } = await sql<{ engine_version: string; bytes: number }>`
    SELECT current_setting('server_version') AS engine_version,
      pg_database_size(current_database()) AS bytes
  `.execute(db)
  const { engine_version = '', bytes = 0 } = rows[0] ?? {}
  return { engine: 'postgres', engine_version, bytes }
}
