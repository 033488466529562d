/** A worker thread that responds to requests, for work that would block the main thread. */
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'
import { busy, HubError, isErrorCode, storageUnavailable } from '../../errors.ts'

type Failure = { message: string; code: string | null }
type Message<Result> =
  | { id: number; result: Result }
  | { id: number; failure: Failure }
  | { warning: string }

export type RequestThread<Request, Result> = {
  request: (request: Request) => Promise<Result>
  isRunning: () => boolean
  /** The number of requests in progress and waiting. */
  countRequests: () => number
  /** Ends the thread; pending requests fail. */
  stop: () => Promise<void>
}

type Pending<Result> = { resolve: (result: Result) => void; reject: (error: Error) => void }

/** The seconds after which a client may try again when too many requests wait. */
const RETRY_SECONDS = 5

/**
 * Starts the thread with the first request, and again after it has failed. A request fails with `busy` when
 * `maxRequests` are in progress or waiting; without it, there is no limit.
 */
export function createRequestThread<Request, Result>(
  file: URL,
  options: WorkerOptions & { maxRequests?: number; warn?: (message: string) => void },
): RequestThread<Request, Result> {
  const { maxRequests = Number.POSITIVE_INFINITY } = options
  const waiting = new Map<number, Pending<Result>>()
  let worker: Worker | null = null
  let lastId = 0

  const start = () => {
    const started = new Worker(file, options)
    started.on('message', receive)
    started.on('error', (cause) => end(started, cause))
    started.on('exit', () => end(started, null))
    worker = started
    return started
  }
  const receive = (message: Message<Result>) => {
    if ('warning' in message) {
      options.warn?.(message.warning)
      return
    }
    const pending = waiting.get(message.id)
    waiting.delete(message.id)
    if ('result' in message) pending?.resolve(message.result)
    else pending?.reject(toError(message.failure))
  }
  const end = (ended: Worker, cause: unknown) => {
    if (worker !== ended) return
    worker = null
    for (const { reject } of waiting.values()) reject(storageUnavailable(cause))
    waiting.clear()
  }
  return {
    request: (request) =>
      new Promise((resolve, reject) => {
        if (waiting.size >= maxRequests) throw busy(RETRY_SECONDS)
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        const running = worker ?? start()
        running.postMessage({ id, request })
      }),
    isRunning: () => worker !== null,
    countRequests: () => waiting.size,
    async stop() {
      const running = worker
      if (!running) return
      end(running, null)
      await running.terminate()
    },
  }
}

/** Responds to the requests of this thread's parent. */
export function serveRequests<Request, Result>(
  respond: (request: Request) => Result | Promise<Result>,
): void {
  parentPort?.on('message', async ({ id, request }: { id: number; request: Request }) => {
    try {
      post({ id, result: await respond(request) })
    } catch (error) {
      post({ id, failure: toFailure(error) })
    }
  })
}

/** Passes a warning to the parent's `warn`. */
export function postWarning(warning: string): void {
  post({ warning })
}

function post(message: Message<unknown>): void {
  parentPort?.postMessage(message)
}

function toFailure(error: unknown): Failure {
  if (error instanceof HubError) return { message: error.message, code: error.code }
  return {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    code: null,
  }
}

function toError({ message, code }: Failure): Error {
  if (code === null || !isErrorCode(code)) return new Error(message)
  return HubError.withMessage(code, message)
}
