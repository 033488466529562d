import { createHash, type Hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { BackupInfo, BackupPhase } from '@recordhub/protocol'
import { type Kysely, sql } from 'kysely'
import { HubError } from '../../errors.ts'
import { makeFolder } from '../../lib/files/make-folder.ts'
import type { BackupRequest } from '../port/backup-store.ts'
import {
  deleteFiles,
  publishFile,
  readPayload,
  writeBackupFile,
} from '../shared/backup/backup-file.ts'
import { messageOf, type RecordSample } from '../shared/backup/backup-header.ts'
import { deleteAbandoned, partialPath } from '../shared/backup/backup-names.ts'
import { hashRows, sampleIds } from '../shared/backup/record-sample.ts'
import type { Tables } from '../shared/schema/tables.ts'
import { countTables, readRows } from './backup-rows.ts'
import { readCommitWatermark } from './commit-watermark.ts'
import { withUnlimited } from './connection.ts'

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
  try {
    request.signal?.throwIfAborted()
    makeFolder(dirname(path))
    await deleteAbandoned(dirname(path))
    if (existsSync(path)) throw new Error(`${path} already exists`)
    const info = await withUnlimited(url, (database) =>
      database.connection().execute((connection) => write(connection, partial, request)),
    )
    await publishFile(partial, path)
    return info
  } catch (cause) {
    await deleteFiles(partial)
    throw new HubError('backup_failed', { reason: messageOf(cause) }, { cause })
  }
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
  const range = await db
    .selectFrom('records')
    .select((eb) => [
      eb.fn.min<number | null>('record_id').as('lowest'),
      eb.fn.max<number | null>('record_id').as('highest'),
    ])
    .executeTakeFirstOrThrow()
  if (range.lowest === null || range.highest === null) return hashRows([])
  const { rows } = await sql<{ row: string }>`
    SELECT (
      SELECT row_to_json(r)::text FROM records r WHERE r.record_id >= i ORDER BY r.record_id LIMIT 1
    ) AS row
    FROM unnest(${sampleIds(range.lowest, range.highest)}::bigint[]) WITH ORDINALITY AS ids (i, n)
    ORDER BY n
  `.execute(db)
  return hashRows(rows)
}
