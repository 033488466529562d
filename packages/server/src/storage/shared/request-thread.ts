/** A worker thread that responds to requests, for work that would block the main thread. */
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'
import { busy, HubError, isErrorCode, storageUnavailable } from '../../errors.ts'

type Failure = { message: string; code: string | null }
type Message<Result> =
  | { isReady: true }
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
/** As a multiple of the time that starting the thread took, so that starting it takes at most so much of the processor. */
const IDLE_RATIO = 15

/**
 * Starts the thread with the first request, and again after it has failed or ended. It ends after some time without a
 * request, because it keeps the memory of earlier ones. A request fails with `busy` when `maxRequests` are in progress or
 * waiting; without it, there is no limit.
 * @param idleRatio see {@link IDLE_RATIO}.
 */
export function createRequestThread<Request, Result>(
  file: URL,
  options: WorkerOptions & {
    maxRequests?: number
    idleRatio?: number
    warn?: (message: string) => void
  },
): RequestThread<Request, Result> {
  const { maxRequests = Number.POSITIVE_INFINITY, idleRatio = IDLE_RATIO } = options
  const waiting = new Map<number, Pending<Result>>()
  let worker: Worker | null = null
  let lastId = 0
  let startedAt = 0
  let idleMs = 0
  let idle: NodeJS.Timeout | undefined

  const start = () => {
    const started = new Worker(file, options)
    started.on('message', receive)
    started.on('error', (cause) => end(started, cause))
    started.on('exit', () => end(started, null))
    worker = started
    startedAt = performance.now()
    return started
  }
  const receive = (message: Message<Result>) => {
    if ('warning' in message) {
      options.warn?.(message.warning)
      return
    }
    if ('isReady' in message) {
      idleMs = idleRatio * (performance.now() - startedAt)
      return
    }
    const pending = waiting.get(message.id)
    waiting.delete(message.id)
    if (waiting.size === 0) idle = setTimeout(() => void stop(), idleMs).unref()
    if ('result' in message) pending?.resolve(message.result)
    else pending?.reject(toError(message.failure))
  }
  const end = (ended: Worker, cause: unknown) => {
    if (worker !== ended) return
    worker = null
    for (const { reject } of waiting.values()) reject(storageUnavailable(cause))
    waiting.clear()
  }
  const stop = async () => {
    clearTimeout(idle)
    const running = worker
    if (!running) return
    end(running, null)
    await running.terminate()
  }
  return {
    request: (request) =>
      new Promise((resolve, reject) => {
        if (waiting.size >= maxRequests) throw busy(RETRY_SECONDS)
        clearTimeout(idle)
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        const running = worker ?? start()
        running.postMessage({ id, request })
      }),
    isRunning: () => worker !== null,
    countRequests: () => waiting.size,
    stop,
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
  post({ isReady: true })
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
