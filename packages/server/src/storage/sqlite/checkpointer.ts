import { Worker } from 'node:worker_threads'

export type Checkpointer = {
  /**
   * Moves everything out of the log and empties its file. Where a reader holds on to an old state, that
   * happens as soon as it lets go, and this resolves before.
   */
  emptyLog: () => Promise<void>
  stop: () => Promise<void>
}

/** A reader may take its time; whoever waits for the log need not. */
const EMPTY_LIMIT_MS = 5000

/** A thread costs twice what opening the database does, and a log has to grow before it is of use. */
const BEGIN_AFTER_MS = 500

/**
 * Moves what was committed from the write-ahead log into the database file, in a thread of its own: on
 * the writing connection it would hold up every push for as long as the disk takes. It has nothing to do
 * with durability; a commit is durable in the log.
 */
export function startCheckpointer(path: string): Checkpointer {
  let thread: Checkpointer | null = null
  const begin = () => (thread ??= startThread(path))
  const beginning = setTimeout(begin, BEGIN_AFTER_MS).unref()
  return {
    emptyLog: () => begin().emptyLog(),
    async stop() {
      clearTimeout(beginning)
      await thread?.stop()
    },
  }
}

function startThread(path: string): Checkpointer {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
    workerData: { path },
  })
  worker.unref()
  // Without it the writing connection checkpoints by itself, when the log has grown far larger.
  worker.on('error', () => undefined)
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve())
  })
  let requests = 0
  return {
    async emptyLog() {
      requests += 1
      const request = requests
      const done = Promise.withResolvers<void>()
      const onEmptied = (emptied: unknown) => {
        if (Number(emptied) >= request) done.resolve()
      }
      const limit = setTimeout(done.resolve, EMPTY_LIMIT_MS)
      worker.on('message', onEmptied)
      worker.postMessage(request)
      await Promise.race([done.promise, exited])
      worker.off('message', onEmptied)
      clearTimeout(limit)
    },
    async stop() {
      worker.ref()
      worker.postMessage('stop')
      await exited
    },
  }
}
