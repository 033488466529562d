import { Worker } from 'node:worker_threads'
import type { CheckpointMessage } from './checkpoint-worker.ts'
import type { SqliteError } from './map-error.ts'

export type Checkpointer = {
  /**
   * Moves all pages from the log to the database file and truncates the log. Resolves after a timeout if a reader
   * still uses an old snapshot; the log is then truncated after the end of that read.
   */
  emptyLog: () => Promise<void>
  isRunning: () => boolean
  stop: () => Promise<void>
  /** Ends the thread without any further write. */
  halt: () => void
}

type CheckpointerOptions = {
  /** Receives the error of a checkpoint whose write or fsync failed. The thread has then stopped. */
  onFailure: (error: SqliteError) => void
  warn: (message: string) => void
  /** Whether it checkpoints continuously; otherwise only on request. */
  isContinuous: boolean
}

/** How long `emptyLog` waits for readers. */
const EMPTY_TIMEOUT_MS = 5000

/** Starting a thread takes twice as long as opening the database, and a short log needs no checkpoint. */
const START_AFTER_MS = 500
const RESTART_AFTER_MS = 5000

/**
 * Checkpoints in a thread of its own: moves committed pages from the write-ahead log into the database file. On the
 * writing connection, every push would wait for the disk, and SQLite would ignore the errors. Durability does not depend
 * on it: a commit is durable in the log.
 */
export function startCheckpointer(path: string, options: CheckpointerOptions): Checkpointer {
  let thread: Checkpointer | null = null
  let isStopped = false
  const start = () => (thread ??= startThread(path, { ...options, onEnded }))
  const onEnded = () => {
    thread = null
    startAfter(RESTART_AFTER_MS)
  }
  let starting: NodeJS.Timeout | undefined
  function startAfter(milliseconds: number): void {
    if (!isStopped && options.isContinuous) starting = setTimeout(start, milliseconds).unref()
  }
  startAfter(START_AFTER_MS)
  const cancelStart = () => {
    isStopped = true
    clearTimeout(starting)
  }
  return {
    async emptyLog() {
      if (!isStopped) await start().emptyLog()
    },
    isRunning: () => thread?.isRunning() ?? false,
    async stop() {
      cancelStart()
      await thread?.stop()
    },
    halt() {
      cancelStart()
      thread?.halt()
    },
  }
}

function startThread(
  path: string,
  { onFailure, warn, onEnded }: Omit<CheckpointerOptions, 'isContinuous'> & { onEnded: () => void },
): Checkpointer {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
    workerData: { path },
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
  worker.unref()
  worker.on('error', (error) =>
    warn(`The thread that moves the write-ahead log into the database is restarted: ${error}`),
  )
  worker.on('message', (message: CheckpointMessage) => {
    if (!('failure' in message)) return
    const { message: text, errcode } = message.failure
    onFailure(Object.assign(new Error(text), { errcode }))
  })
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve())
  })
  let isRunning = true
  exited.then(() => {
    isRunning = false
    onEnded()
  })
  let requests = 0
  return {
    isRunning: () => isRunning,
    async emptyLog() {
      requests += 1
      const request = requests
      const done = Promise.withResolvers<void>()
      const onMessage = (message: CheckpointMessage) => {
        if ('emptied' in message && message.emptied >= request) done.resolve()
      }
      const timeout = setTimeout(done.resolve, EMPTY_TIMEOUT_MS)
      worker.on('message', onMessage)
      worker.postMessage(request)
      await Promise.race([done.promise, exited])
      worker.off('message', onMessage)
      clearTimeout(timeout)
    },
    async stop() {
      worker.ref()
      worker.postMessage('stop')
      await exited
    },
    halt: () => void worker.terminate(),
  }
}
