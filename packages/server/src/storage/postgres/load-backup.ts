/** Loads the rows of a backup into a schema of its own. */
import { isDeepStrictEqual } from 'node:util'
import type { BackupInfo } from '@recordhub/protocol'
import { sql } from 'kysely'
import { HubError } from '../../errors.ts'
import type { OnBackupProgress } from '../port/backup-store.ts'
import { readPayload } from '../shared/backup/backup-file.ts'
import { migrateTo } from '../shared/schema/migrate.ts'
import { readSample } from './backup.ts'
import { loadRows } from './backup-rows.ts'
import { withUnlimited } from './connection.ts'
import { migrations } from './migrations/index.ts'

/**
 * Loads a backup into a new schema, and checks it against its header. Drops the schema first if a killed process has
 * left it.
 * @throws HubError `backup_damaged`, and those of `readPayload`.
 */
export async function loadIntoSchema(
  url: string,
  schema: string,
  request: { path: string; passphrase: string | null; onProgress?: OnBackupProgress },
): Promise<BackupInfo> {
  const { header, payload } = await readPayload(request.path, request.passphrase)
  const { info, sample } = header
  const total = Object.values(info.tables).reduce((sum, rows) => sum + rows, 0)
  await dropSchema(url, schema)
  await withUnlimited(url, (db) => sql.raw(`CREATE SCHEMA ${schema}`).execute(db))
  await withUnlimited(urlWithSchema(url, schema), async (database) => {
    await migrateTo(database, migrations, { schema, last: info.migrations.at(-1) })
    await database.connection().execute(async (db) => {
      await sql`BEGIN`.execute(db)
      await sql`SET LOCAL synchronous_commit = off`.execute(db)
      const loaded = await loadRows(db, observe(payload))
      await sql`COMMIT`.execute(db)
      if (!isDeepStrictEqual(loaded, info.tables)) {
        throw new HubError('backup_damaged', { reason: 'its rows differ from its header' })
      }
      await sql`ANALYZE`.execute(db).catch(() => undefined)
      request.onProgress?.({ phase: 'check', done: 0, total: null })
      if (!isDeepStrictEqual(await readSample(db), sample)) {
        throw new HubError('backup_damaged', { reason: 'its records differ from its header' })
      }
    })
  })
  return info

  async function* observe(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let done = 0
    for await (const part of parts) {
      for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) done += 1
      request.onProgress?.({ phase: 'unpack', done: Math.min(done, total), total })
      yield part
    }
  }
}

export async function dropSchema(url: string, schema: string): Promise<void> {
  await withUnlimited(url, (db) => sql.raw(`DROP SCHEMA IF EXISTS ${schema} CASCADE`).execute(db))
}

/** The URL of the same database whose unqualified names are in a schema. */
export function urlWithSchema(url: string, schema: string): string {
  const changed = new URL(url)
  const options = changed.searchParams.get('options') ?? ''
  changed.searchParams.set('options', `${options} -c search_path=${schema}`.trim())
  return changed.href
}
