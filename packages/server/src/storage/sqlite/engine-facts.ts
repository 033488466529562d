import { sql } from 'kysely'
import type { EngineFacts } from '../port/storage.ts'
import type { Executor } from '../shared/schema/databases.ts'

/** The file as the database counts it; its log beside it is not in it. */
export async function readEngine(db: Executor): Promise<EngineFacts> {
  const { rows } = await sql<{ engine_version: string; bytes: number }>`
    SELECT sqlite_version() AS engine_version, page_count * page_size AS bytes
    FROM pragma_page_count(), pragma_page_size()
  `.execute(db)
  return {
    engine: 'sqlite',
    engine_version: rows[0]?.engine_version ?? '',
    bytes: rows[0]?.bytes ?? 0,
  }
}
