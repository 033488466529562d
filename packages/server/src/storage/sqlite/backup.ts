import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { BackupInfo } from '@recordhub/protocol'
import { type ErrorCode, HubError } from '../../errors.ts'
import { makeFolder } from '../../lib/files/durable-files.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type {
  BackupProgress,
  BackupRequest,
  BackupStore,
  OnBackupProgress,
} from '../port/backup-store.ts'
import { deleteFiles, writeNewBackup } from '../shared/backup/backup-file.ts'
import {
  deleteAbandoned,
  partialPath,
  readBackupInfo,
  readHeader,
} from '../shared/backup/backup-header.ts'
import { assertEngine, checkBackup } from '../shared/backup/check-backup.ts'
import { createChangeStore } from '../shared/records/change-store.ts'
import { openReader } from './connection.ts'
import { readCommitWatermark } from './dialect.ts'

/** What the thread needs. */
export type BackupJob = {
  databasePath: string
  path: string
  snapshotPath: string
  partialPath: string
  passphrase: string | null
  info: Omit<BackupInfo, 'migrations' | 'position' | 'tables'>
}

export type UnpackJob = { path: string; passphrase: string | null; target: string }

export type BackupMessage =
  | { progress: BackupProgress }
  | { info: BackupInfo }
  | { failure: { message: string; code: ErrorCode | null } }

const POLL_MS = 500

/**
 * Writes a verified backup of a database file, whatever the version of its schema, while other connections write. No
 * storage has to be open. See `BackupStore.writeBackup`.
 * @throws HubError `no_database`, `backup_failed`.
 */
export async function writeSqliteBackup(
  databasePath: string,
  request: BackupRequest,
): Promise<BackupInfo> {
  if (!existsSync(databasePath)) throw new HubError('no_database', { path: databasePath })
  const { path, passphrase, signal } = request
  const job: BackupJob = {
    databasePath,
    path,
    snapshotPath: partialPath(path),
    partialPath: partialPath(path),
    passphrase,
    info: {
      engine: 'sqlite',
      hub_version: request.hubVersion,
      created_at: new Date().toISOString(),
      secret_fingerprint: request.secretFingerprint,
      encrypted: passphrase !== null,
    },
  }
  const partials = [job.snapshotPath, `${job.snapshotPath}-journal`, job.partialPath]
  return writeNewBackup({ path, signal, partials }, () => runJob(job, request))
}

/**
 * Unpacks a backup to a new file, and checks that it is intact and contains what the header of the backup says.
 * @throws HubError `backup_damaged`, and those of `readPayload`. The file is then deleted.
 */
export async function unpackSqliteBackup(
  job: UnpackJob,
  onProgress?: OnBackupProgress,
): Promise<BackupInfo> {
  try {
    return await runJob(job, onProgress ? { onProgress } : {})
  } catch (error) {
    await deleteFiles(job.target)
    throw error
  }
}

async function runJob(
  job: BackupJob | UnpackJob,
  { onProgress = () => undefined, signal }: Pick<BackupRequest, 'onProgress' | 'signal'>,
): Promise<BackupInfo> {
  const worker = new Worker(new URL('./backup-worker.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
  const ended = Promise.withResolvers<BackupInfo>()
  let copying: number | null = null
  worker.on('message', (message: BackupMessage) => {
    if ('info' in message) ended.resolve(message.info)
    else if ('failure' in message) ended.reject(toError(message.failure))
    else {
      copying = message.progress.phase === 'copy' ? message.progress.total : null
      onProgress(message.progress)
    }
  })
  worker.on('error', ended.reject)
  worker.on('exit', () => ended.reject(new Error('its thread has ended')))
  const abort = () => ended.reject(new Error('it was aborted'))
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  // While the thread copies, it cannot report its progress.
  const polling = new AbortController()
  const polled = runPeriodically(POLL_MS, polling.signal, async () => {
    if (copying === null) return
    const path = 'snapshotPath' in job ? job.snapshotPath : job.target
    const { size } = await stat(path).catch(() => ({ size: 0 }))
    if (copying !== null)
      onProgress({ phase: 'copy', done: Math.min(size, copying), total: copying })
  })
  try {
    return await ended.promise
  } finally {
    polling.abort()
    await polled
    signal?.removeEventListener('abort', abort)
    // A statement in progress cannot be interrupted; the end of the process ends it.
    const terminated = worker.terminate()
    if (!signal?.aborted) await terminated
  }
}

function toError({ message, code }: { message: string; code: ErrorCode | null }): Error {
  return code === null ? new Error(message) : HubError.withMessage(code, message)
}

export function createBackupStore(databasePath: string): BackupStore {
  return {
    writeBackup: (request) => writeSqliteBackup(databasePath, request),
    readBackupInfo,
    checkBackup: (request) => checkBackup(request, 'sqlite'),
    async openCopy({ path, folder, passphrase, onProgress }) {
      assertEngine((await readHeader(path)).header.info, 'sqlite')
      makeFolder(folder)
      await deleteAbandoned(folder)
      const target = partialPath(join(folder, 'drill'))
      const info = await unpackSqliteBackup({ path, passphrase, target }, onProgress)
      const reader = openReader(target)
      const sequence = { readLastSequence: readCommitWatermark, readCommitWatermark }
      return {
        info,
        changes: createChangeStore({ reader }, sequence, true),
        async close() {
          await reader.destroy()
          await deleteFiles(target, `${target}-wal`, `${target}-shm`)
        },
      }
    },
  }
}
