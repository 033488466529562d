/**
 * Reads record lists that need more than an index lookup in a thread with a connection of its own: a SQLite query
 * blocks its thread until it ends, and on the main thread it would delay every push.
 */
import { Worker } from 'node:worker_threads'
import { HubError, isErrorCode, storageUnavailable } from '../../errors.ts'
import type { RecordListStore, RecordQuery } from '../port/record-list-store.ts'

type Listed = Awaited<ReturnType<RecordListStore['listRecords']>>
type Failure = { message: string; code: string | null }
export type ReadRequest = { id: number; query: RecordQuery }
export type ReadResponse = { id: number } & ({ page: Listed } | { failure: Failure })

export type ReadThread = {
  listRecords: (query: RecordQuery) => Promise<Listed>
  /** Ends the thread; pending reads fail. */
  stop: () => Promise<void>
}

type Waiting = { resolve: (page: Listed) => void; reject: (error: Error) => void }

/** Starts the thread with the first read, and again after it has failed. */
export function createReadThread(path: string): ReadThread {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let lastId = 0

  const start = () => {
    const started = new Worker(new URL('./read-worker.ts', import.meta.url), {
      workerData: { path },
      // A scan allocates much; a small young generation is collected soon.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    })
    started.on('message', (response: ReadResponse) => settle(waiting, response))
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

function settle(waiting: Map<number, Waiting>, response: ReadResponse): void {
  const pending = waiting.get(response.id)
  if (!pending) return
  waiting.delete(response.id)
  if ('page' in response) pending.resolve(response.page)
  else pending.reject(toError(response.failure))
}

function toError({ message, code }: Failure): Error {
  if (code === null || !isErrorCode(code)) return new Error(message)
  return HubError.withMessage(code, message)
}
