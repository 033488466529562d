import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const EVERY_MS = 500

const { path }: { path: string } = workerData
const database = new DatabaseSync(path, { timeout: 0 })
// It reads the file itself at each checkpoint, so it has no use for a cache.
database.exec('PRAGMA wal_autocheckpoint = 0')

const timer = setInterval(() => {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // A full disk or a lock: the log keeps what is not moved, and the next time tries again.
  }
}, EVERY_MS)

parentPort?.once('message', () => {
  clearInterval(timer)
  database.close()
})
