import { Worker } from 'node:worker_threads'

export type Checkpointer = {
  /**
   * Moves all pages from the log to the database file and truncates the log. Resolves after a timeout if a reader
   * still uses an old snapshot; the log is then truncated after the end of that read.
   */
  emptyLog: () => Promise<void>
  isRunning: () => boolean
  stop: () => Promise<void>
}

/** How long `emptyLog` waits for readers. */
const EMPTY_TIMEOUT_MS = 5000

/** Starting a thread takes twice as long as opening the database, and a short log needs no checkpoint. */
const START_AFTER_MS = 500

/**
 * Checkpoints in a thread of its own: moves committed pages from the write-ahead log into the database file. On the
 * writing connection, every push would wait for the disk. Durability does not depend on it: a commit is durable in
 * the log.
 */
export function startCheckpointer(path: string): Checkpointer {
  let thread: Checkpointer | null = null
  const start = () => (thread ??= startThread(path))
  const starting = setTimeout(start, START_AFTER_MS).unref()
  return {
    emptyLog: () => start().emptyLog(),
    isRunning: () => thread?.isRunning() ?? false,
    async stop() {
      clearTimeout(starting)
      await thread?.stop()
    },
  }
}

function startThread(path: string): Checkpointer {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
    workerData: { path },
  })
  worker.unref()
  // Without the thread, the writing connection checkpoints once the log has grown far larger.
  worker.on('error', () => undefined)
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve())
  })
  let isRunning = true
  exited.then(() => {
    isRunning = false
  })
  let requests = 0
  return {
    isRunning: () => isRunning,
    async emptyLog() {
      requests += 1
      const request = requests
      const done = Promise.withResolvers<void>()
      const onEmptied = (emptied: unknown) => {
        if (Number(emptied) >= request) done.resolve()
      }
      const timeout = setTimeout(done.resolve, EMPTY_TIMEOUT_MS)
      worker.on('message', onEmptied)
      worker.postMessage(request)
      await Promise.race([done.promise, exited])
      worker.off('message', onEmptied)
      clearTimeout(timeout)
    },
    async stop() {
      worker.ref()
      worker.postMessage('stop')
      await exited
    },
  }
}
