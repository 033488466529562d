import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { isDiskFull, isFatal } from './map-error.ts'

/** A request has been done, or the thread has stopped because a checkpoint failed. */
export type CheckpointMessage = { emptied: number } | { failure: SqliteFailure }
/** An error as a message; an Error would lose its code. */
type SqliteFailure = { message: string; errcode: number }

const INTERVAL_MS = 500
/**
 * 64 MiB. Constant writing would let the log grow, so commits then wait until the next one can overwrite it from its
 * beginning. It is not truncated: commits to a file that grows take a fifth longer.
 */
const MAX_LOG_PAGES = 16_384

const { path }: { path: string } = workerData
const database = new DatabaseSync(path, { timeout: 0 })
// This connection only checkpoints explicitly.
database.exec('PRAGMA wal_autocheckpoint = 0')

/**
 * The number of the last request to empty the log; null once it is done. The worker starts with a request, because
 * the log of an earlier process may contain data that has been deleted since.
 */
let emptyRequest: number | null = 0

function checkpoint(): void {
  try {
    const result = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
    if (emptyRequest !== null) emptyLog()
    else if (Number(result?.['log']) > MAX_LOG_PAGES) {
      database.exec('PRAGMA wal_checkpoint(RESTART)')
    }
  } catch (error) {
    // On a full disk or with a lock, the pages stay in the log, and the next checkpoint moves them.
    if (!isFatal(error) || isDiskFull(error, path)) return
    const { message, errcode } = error
    post({ failure: { message, errcode } })
    // No request may repeat the checkpoint: it could succeed although data is lost.
    stop()
  }
}

/** The writer waits only while the pages since the passive checkpoint are moved. */
function emptyLog(): void {
  const result = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  if (result?.['busy'] !== 0 || emptyRequest === null) return
  post({ emptied: emptyRequest })
  emptyRequest = null
}

function stop(): void {
  clearInterval(timer)
  database.close()
  parentPort?.close()
}

function post(message: CheckpointMessage): void {
  parentPort?.postMessage(message)
}

const timer = setInterval(checkpoint, INTERVAL_MS)

parentPort?.on('message', (message: unknown) => {
  if (typeof message === 'number') {
    emptyRequest = message
    checkpoint()
  } else {
    stop()
  }
})
