/** Writes or unpacks one backup in a thread: the statements on a whole database block it for minutes. */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import type { BackupPhase } from '@recordhub/protocol'
import { HubError, messageOf } from '../../errors.ts'
import { publishFile, readPayload, writeBackupFile } from '../shared/backup/backup-file.ts'
import type { BackupJob, BackupMessage, UnpackJob } from './backup.ts'
import {
  assertIntact,
  compareWithSource,
  copySnapshot,
  deleteNotBackedUp,
  describeContent,
} from './database-snapshot.ts'

/** The minimum number of bytes between two messages about the progress. */
const REPORT_BYTES = 8 * 1024 * 1024
const READ_BYTES = 262_144

async function writeBackup(job: BackupJob): Promise<BackupMessage> {
  post({ progress: { phase: 'copy', done: 0, total: statSync(job.databasePath).size } })
  copySnapshot(job.databasePath, job.snapshotPath)
  deleteNotBackedUp(job.snapshotPath)
  const payload_bytes = statSync(job.snapshotPath).size
  post({ progress: { phase: 'check', done: 0, total: payload_bytes } })
  assertIntact(job.snapshotPath)
  const { sample, ...content } = describeContent(job.snapshotPath)
  compareWithSource(job.snapshotPath, job.databasePath)

  const info = { ...job.info, ...content }
  const written = createHash('sha256')
  const snapshot = createReadStream(job.snapshotPath, { highWaterMark: READ_BYTES })
  await writeBackupFile({
    path: job.partialPath,
    header: { info, payload_bytes, sample },
    payload: observe('write', snapshot, { total: payload_bytes, hash: written }),
    passphrase: job.passphrase,
  })
  // What was written is the checked snapshot if every byte that is read from the file is equal.
  rmSync(job.snapshotPath)
  const read = createHash('sha256')
  const { payload } = await readPayload(job.partialPath, job.passphrase)
  for await (const _ of observe('verify', payload, { total: payload_bytes, hash: read })) {
    // Reading it is the verification.
  }
  if (!read.digest().equals(written.digest())) {
    throw new Error('what was written differs from the snapshot')
  }
  await publishFile(job.partialPath, job.path)
  return { info }
}

async function unpack({ path, passphrase, target }: UnpackJob): Promise<BackupMessage> {
  const { header, payload } = await readPayload(path, passphrase)
  const { info, sample, payload_bytes: total } = header
  const file = await open(target, 'wx', 0o600)
  try {
    for await (const part of observe('unpack', payload, { total })) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
  post({ progress: { phase: 'check', done: 0, total } })
  const found = describeIntact(target)
  const { tables, migrations, position } = info
  if (!isDeepStrictEqual(found, { tables, migrations, position, sample })) {
    throw new HubError('backup_damaged', { reason: 'its content differs from its header' })
  }
  return { info }
}

function describeIntact(path: string) {
  try {
    assertIntact(path)
    return describeContent(path)
  } catch (cause) {
    throw new HubError('backup_damaged', { reason: messageOf(cause) }, { cause })
  }
}

async function* observe(
  phase: BackupPhase,
  parts: AsyncIterable<Buffer>,
  { total, hash }: { total: number | null; hash?: Hash },
): AsyncGenerator<Buffer> {
  let done = 0
  let reported = 0
  for await (const part of parts) {
    hash?.update(part)
    done += part.length
    if (done - reported >= REPORT_BYTES) {
      reported = done
      post({ progress: { phase, done, total } })
    }
    yield part
  }
}

function post(message: BackupMessage): void {
  parentPort?.postMessage(message)
}

const job: BackupJob | UnpackJob = workerData
const running = 'databasePath' in job ? writeBackup(job) : unpack(job)
running.then(post, (error: unknown) => {
  const code = error instanceof HubError ? error.code : null
  post({ failure: { message: messageOf(error), code } })
})
