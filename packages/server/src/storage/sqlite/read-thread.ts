/**
 * Lists of records that take more than a look at an index are read in a thread of their own, on a
 * connection of its own: a query of SQLite holds its thread, and all pushes with it, until it ends.
 */
import { Worker } from 'node:worker_threads'
import { HubError, isErrorCode, storageUnavailable } from '../../errors.ts'
import type { RecordListStore, RecordQuery } from '../port/record-list-store.ts'

type Listed = Awaited<ReturnType<RecordListStore['listRecords']>>
type Failure = { message: string; code: string | null }
export type ReadRequest = { id: number; query: RecordQuery }
export type ReadAnswer = { id: number } & ({ page: Listed } | { failure: Failure })

export type ReadThread = {
  listRecords: (query: RecordQuery) => Promise<Listed>
  /** Ends the thread; what is under way fails. */
  stop: () => Promise<void>
}

type Waiting = { resolve: (page: Listed) => void; reject: (error: Error) => void }

/** The thread begins with its first list, and again where it has broken. */
export function createReadThread(path: string): ReadThread {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let lastId = 0

  const start = () => {
    const started = new Worker(new URL('./read-worker.ts', import.meta.url), {
      workerData: { path },
      // A scan leaves much behind, which else would be kept long before it is cleared away.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    })
    started.on('message', (answer: ReadAnswer) => settle(waiting, answer))
    started.on('error', (cause) => end(started, cause))
    started.on('exit', () => end(started, null))
    worker = started
    return started
  }
  const end = (ended: Worker, cause: unknown) => {
    if (worker !== ended) return
    worker = null
    for (const { reject } of waiting.values()) {
      reject(storageUnavailable(cause))
    }
    waiting.clear()
  }
  return {
    listRecords: (query) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        const running = worker ?? start()
        running.postMessage({ id, query } satisfies ReadRequest)
      }),
    async stop() {
      const running = worker
      if (!running) return
      end(running, null)
      await running.terminate()
    },
  }
}

function settle(waiting: Map<number, Waiting>, answer: ReadAnswer): void {
  const asked = waiting.get(answer.id)
  if (!asked) return
  waiting.delete(answer.id)
  if ('page' in answer) asked.resolve(answer.page)
  else asked.reject(toError(answer.failure))
}

function toError({ message, code }: Failure): Error {
  if (code === null || !isErrorCode(code)) return new Error(message)
  return HubError.withMessage(code, message)
}
