import { createHash, type Hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { BackupInfo, BackupPhase } from '@recordhub/protocol'
import { type Kysely, sql } from 'kysely'
import { HubError, messageOf } from '../../errors.ts'
import type { BackupRequest, BackupStore, OnBackupProgress } from '../port/backup-store.ts'
import {
  publishFile,
  readPayload,
  writeBackupFile,
  writeNewBackup,
} from '../shared/backup/backup-file.ts'
import {
  hashRows,
  partialPath,
  type RecordSample,
  readBackupInfo,
  readHeader,
  sampleIds,
} from '../shared/backup/backup-header.ts'
import { assertEngine, checkBackup } from '../shared/backup/check-backup.ts'
import { createChangeStore } from '../shared/records/change-store.ts'
import { migrateTo } from '../shared/schema/migrate.ts'
import { readIdRange } from '../shared/schema/rows.ts'
import type { Tables } from '../shared/schema/tables.ts'
import { countTables, loadRows, readRows } from './backup-rows.ts'
import { readCommitWatermark, readLastSequence } from './commit-watermark.ts'
import { openConnections, withUnlimited } from './connection.ts'
import { migrations } from './migrations/index.ts'

/**
 * Writes a verified backup of a database, in one REPEATABLE READ transaction. `pg_dump` is not needed: it must be at
 * least as new as the server, and is often not installed where the hub is. See `BackupStore.writeBackup`.
 * @throws HubError `backup_failed`.
 */
export async function writePostgresBackup(
  url: string,
  request: BackupRequest,
): Promise<BackupInfo> {
  const { path } = request
  const partial = partialPath(path)
  return writeNewBackup({ path, signal: request.signal, partials: [partial] }, async () => {
    const info = await withUnlimited(url, (database) =>
      database.connection().execute((connection) => write(connection, partial, request)),
    )
    await publishFile(partial, path)
    return info
  })
}

async function write(
  db: Kysely<Tables>,
  path: string,
  { passphrase, signal, ...request }: BackupRequest,
): Promise<BackupInfo> {
  const onProgress = request.onProgress ?? (() => undefined)
  // Every change up to it is committed before the snapshot begins.
  const position = await readCommitWatermark(db)
  await sql`SET idle_in_transaction_session_timeout = 0`.execute(db)
  await sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`.execute(db)
  onProgress({ phase: 'check', done: 0, total: null })
  const tables = await countTables(db)
  const { rows: applied } = await sql<{ name: string }>`
    SELECT name FROM kysely_migration ORDER BY name
  `.execute(db)
  const info: BackupInfo = {
    engine: 'postgres',
    hub_version: request.hubVersion,
    migrations: applied.map(({ name }) => name),
    created_at: new Date().toISOString(),
    secret_fingerprint: request.secretFingerprint,
    position,
    tables,
    encrypted: passphrase !== null,
  }
  const total = Object.values(tables).reduce((sum, rows) => sum + rows, 0)

  async function* observe(
    phase: BackupPhase,
    parts: AsyncIterable<Buffer>,
    hash: Hash,
  ): AsyncGenerator<Buffer> {
    let done = 0
    for await (const part of parts) {
      signal?.throwIfAborted()
      hash.update(part)
      for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) done += 1
      onProgress({ phase, done: Math.min(done, total), total })
      yield part
    }
  }

  const written = createHash('sha256')
  const payload = observe('write', readRows(db), written)
  const sample = await readSample(db)
  await writeBackupFile({
    path,
    header: { info, payload_bytes: null, sample },
    payload,
    passphrase,
  })
  await sql`COMMIT`.execute(db)
  const read = createHash('sha256')
  const stored = await readPayload(path, passphrase)
  for await (const _ of observe('verify', stored.payload, read)) {
    // Reading it is the verification.
  }
  if (!read.digest().equals(written.digest())) {
    throw new Error('what was written differs from the snapshot')
  }
  return info
}

/** Hashes a sample of the records. */
export async function readSample(db: Kysely<Tables>): Promise<RecordSample> {
  const { first, last } = await readIdRange(db, 'records', 'record_id')
  if (first === null || last === null) return hashRows([])
  const { rows } = await sql<{ row: string }>`
    SELECT (
      SELECT row_to_json(r)::text FROM records r WHERE r.record_id >= i ORDER BY r.record_id LIMIT 1
    ) AS row
    FROM unnest(${sampleIds(first, last)}::bigint[]) WITH ORDINALITY AS ids (i, n)
    ORDER BY n
  `.execute(db)
  return hashRows(rows)
}

/**
 * Loads the rows of a backup into a new schema, and checks them against its header. Drops the schema first if a killed
 * process has left it.
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

/** The schema of the copy of a restore drill. A drill drops the schema that a killed one has left. */
const SCHEMA = 'recordhub_drill'

export function createBackupStore(url: string): BackupStore {
  return {
    writeBackup: (request) => writePostgresBackup(url, request),
    readBackupInfo,
    checkBackup: (request) => checkBackup(request, 'postgres'),
    async openCopy(request) {
      assertEngine((await readHeader(request.path)).header.info, 'postgres')
      try {
        const info = await loadIntoSchema(url, SCHEMA, request)
        const connections = openConnections(urlWithSchema(url, SCHEMA), () => undefined)
        const reader = connections.database
        return {
          info,
          changes: createChangeStore({ reader }, { readLastSequence, readCommitWatermark }, true),
          async close() {
            await connections.close()
            await dropSchema(url, SCHEMA)
          },
        }
      } catch (error) {
        await dropSchema(url, SCHEMA).catch(() => undefined)
        if (error instanceof HubError) throw error
        throw new HubError('restore_failed', { reason: messageOf(error) }, { cause: error })
      }
    },
  }
}
