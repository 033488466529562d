import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const INTERVAL_MS = 500

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
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    if (emptyRequest !== null) emptyLog(emptyRequest)
  } catch {
    // A full disk or a lock: the pages stay in the log, and the next checkpoint moves them.
  }
}

/** The writer waits only while the pages since the passive checkpoint are moved. */
function emptyLog(request: number): void {
  const result = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  if (result?.['busy'] !== 0) return
  emptyRequest = null
  parentPort?.postMessage(request)
}

const timer = setInterval(checkpoint, INTERVAL_MS)

parentPort?.on('message', (message: unknown) => {
  if (typeof message === 'number') {
    emptyRequest = message
    checkpoint()
    return
  }
  clearInterval(timer)
  database.close()
  parentPort?.close()
})
