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

type PendingRead = { resolve: (page: Listed) => void; reject: (error: Error) => void }

/** Starts the thread with the first read, and again after it has failed. */
export function createReadThread(path: string): ReadThread {
  const pending = new Map<number, PendingRead>()
  let worker: Worker | null = null
  let lastId = 0

  const start = () => {
    const started = new Worker(new URL('./read-worker.ts', import.meta.url), {
      workerData: { path },
      // A scan allocates much memory; a small young generation is collected early.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    })
    started.on('message', (response: ReadResponse) => settle(pending, response))
    started.on('error', (cause) => end(started, cause))
    started.on('exit', () => end(started, null))
    worker = started
    return started
  }
  const end = (ended: Worker, cause: unknown) => {
    if (worker !== ended) return
    worker = null
    for (const { reject } of pending.values()) {
      reject(storageUnavailable(cause))
    }
    pending.clear()
  }
  return {
    listRecords: (query) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        pending.set(id, { resolve, reject })
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

function settle(pending: Map<number, PendingRead>, response: ReadResponse): void {
  const read = pending.get(response.id)
  if (!read) return
  pending.delete(response.id)
  if ('page' in response) read.resolve(response.page)
  else read.reject(toError(response.failure))
}

function toError({ message, code }: Failure): Error {
  if (code === null || !isErrorCode(code)) return new Error(message)
  return HubError.withMessage(code, message)
}
