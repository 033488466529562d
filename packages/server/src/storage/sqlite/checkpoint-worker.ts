import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const EVERY_MS = 500

const { path }: { path: string } = workerData
const database = new DatabaseSync(path, { timeout: 0 })
// It reads the file itself at each checkpoint, so it has no use for a cache.
database.exec('PRAGMA wal_autocheckpoint = 0')

/**
 * The number of the last request to empty the log; null where that is done. What an earlier process has
 * left in the log may have been deleted since, so it begins with one.
 */
let toEmpty: number | null = 0

function checkpoint(): void {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    if (toEmpty !== null) emptyLog(toEmpty)
  } catch {
    // A full disk or a lock: the log keeps what is not moved, and the next time tries again.
  }
}

/** Keeps the writer waiting only for what has come since the checkpoint before. */
function emptyLog(request: number): void {
  const result = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  if (result?.['busy'] !== 0) return
  toEmpty = null
  parentPort?.postMessage(request)
}

const timer = setInterval(checkpoint, EVERY_MS)

parentPort?.on('message', (message: unknown) => {
  if (typeof message === 'number') {
    toEmpty = message
    checkpoint()
    return
  }
  clearInterval(timer)
  database.close()
  parentPort?.close()
})
