/** The network between hubs and platforms: it delays, reorders, cuts off and loses what they send. */
import { Dispatcher, errors } from 'undici'
import type { ServedResponse } from './platform.ts'
import type { Choices, Scheduler } from './scheduler.ts'

/** A request that has arrived at a platform. */
export type PlatformRequest = {
  /** Its name, and the host of its address, which differs between registrations. */
  platform: string
  host: string
  path: string
  page: number
  ifNoneMatch: string | null
  /** The buckets that are requested; null for all. */
  prefixes: readonly string[] | null
  /** The digits of a digest; null for anything else. */
  digits: number | null
}

/** How a platform handles a request. */
export type Handling =
  | { kind: 'refused' | 'reset' }
  | {
      kind: 'respond'
      response: ServedResponse
      delayMs: number
      chunks: number
      /** Called with the number of bytes that have arrived at the hub. */
      onProgress: (bytes: number) => void
    }

class NetworkError extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/**
 * The connections of one hub to platforms, in place of those of undici. `send` is called when the hub sends a request,
 * and its result when the platform receives it.
 */
export class SimulatedConnections extends Dispatcher {
  readonly #scheduler: Scheduler
  readonly #choices: Choices
  readonly #send: (request: PlatformRequest) => () => Handling

  constructor(
    scheduler: Scheduler,
    choices: Choices,
    send: (request: PlatformRequest) => () => Handling,
  ) {
    super()
    this.#scheduler = scheduler
    this.#choices = choices
    this.#send = send
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const exchange = new Exchange(handler)
    handler.onRequestStart?.(exchange, null)
    if (exchange.aborted) return true
    const request = toRequest(options)
    const { headersTimeout } = options
    const handle = this.#send(request)
    const latency = this.#choices.between(0.5, 60)
    if (headersTimeout) {
      const timeout = this.#scheduler.after(headersTimeout, null, () => {
        if (!exchange.hasBegun) exchange.fail(new errors.HeadersTimeoutError())
      })
      exchange.onEnd = () => this.#scheduler.cancel(timeout)
    }
    // The request belongs to the network: it arrives although the hub is killed in the meantime.
    this.#scheduler.after(latency, `${request.platform} receives ${request.path}`, () => {
      if (exchange.hasEnded) return
      const handling = handle()
      if (handling.kind === 'respond') this.#respond(exchange, handling)
      else {
        const error = handling.kind === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET'
        exchange.fail(new NetworkError(error))
      }
    })
    return true
  }

  #respond(exchange: Exchange, handling: Extract<Handling, { kind: 'respond' }>): void {
    const { response, delayMs, chunks, onProgress } = handling
    const { body, sentBytes } = response
    const ends = Array.from({ length: chunks - 1 }, () => this.#choices.int(sentBytes + 1))
    const bounds = [0, ...ends.toSorted((one, other) => one - other), sentBytes]
    let at = delayMs
    const steps: (() => void)[] = [() => exchange.begin(response)]
    for (let index = 1; index < bounds.length; index += 1) {
      const chunk = body.subarray(bounds[index - 1], bounds[index])
      if (chunk.length === 0) continue
      steps.push(() => {
        onProgress(chunk.length)
        exchange.push(chunk)
      })
    }
    if (response.end === 'complete') steps.push(() => exchange.complete())
    if (response.end === 'cut_off') steps.push(() => exchange.fail(new errors.SocketError('cut')))
    const next = () => {
      const step = steps.shift()
      if (!step || exchange.hasEnded) return
      exchange.whenReady(() => {
        step()
        at = this.#choices.chance(0.1)
          ? this.#choices.between(100, 4000)
          : this.#choices.between(0.2, 30)
        this.#scheduler.after(at, null, next)
      })
    }
    this.#scheduler.after(at, null, next)
  }

  override close(): Promise<void>
  override close(callback: () => void): void
  override close(callback?: () => void): Promise<void> | undefined {
    if (!callback) return Promise.resolve()
    callback()
    return undefined
  }

  override destroy(): Promise<void>
  override destroy(error: Error | null): Promise<void>
  override destroy(callback: () => void): void
  override destroy(error: Error | null, callback: () => void): void
  override destroy(
    first?: Error | null | (() => void),
    callback?: () => void,
  ): Promise<void> | undefined {
    const done = callback ?? (typeof first === 'function' ? first : null)
    if (!done) return Promise.resolve()
    done()
    return undefined
  }
}

/** One request and its response, on the side of the hub. */
class Exchange implements Dispatcher.DispatchController {
  readonly #handler: Dispatcher.DispatchHandler
  aborted = false
  paused = false
  reason: Error | null = null
  hasBegun = false
  hasEnded = false
  onEnd: () => void = () => undefined
  #waiting: (() => void) | null = null

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler
  }

  abort(reason: Error): void {
    this.aborted = true
    this.reason = reason
    this.fail(reason)
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.()
  }

  /** Calls back at once, or when the hub has read what it has received. */
  whenReady(work: () => void): void {
    if (this.paused) this.#waiting = work
    else work()
  }

  begin({ status, headers }: ServedResponse): void {
    this.hasBegun = true
    this.#handler.onResponseStart?.(this, status, headers, '')
  }

  push(chunk: Buffer): void {
    this.#handler.onResponseData?.(this, chunk)
  }

  complete(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.onEnd()
    this.#handler.onResponseEnd?.(this, {})
  }

  fail(error: Error): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.onEnd()
    this.#handler.onResponseError?.(this, error)
  }
}

function toRequest({ origin, path, headers }: Dispatcher.DispatchOptions): PlatformRequest {
  const url = new URL(path, String(origin))
  const sent = new Headers(Object.entries(Object(headers)))
  return {
    platform: url.hostname.split('.').at(-2) ?? '',
    host: url.hostname,
    path: url.pathname,
    page: Number(url.searchParams.get('page') ?? 1),
    ifNoneMatch: sent.get('if-none-match'),
    prefixes: url.searchParams.get('prefix')?.split(',') ?? null,
    digits: url.searchParams.has('digits') ? Number(url.searchParams.get('digits')) : null,
  }
}
