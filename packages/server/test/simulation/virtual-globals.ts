/**
 * Replaces the clocks and timers of this process with those of a scheduler. The hub's code uses them as in a real
 * process: most of them are not dependencies that a test could pass in.
 */
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { type Choices, currentContext, type PendingEntry, type Scheduler } from './scheduler.ts'

const START_OF_DAY = Date.parse('2026-03-10T08:00:00.000Z')

/** A timer that has no effect on the lifetime of the process. */
class VirtualTimeout {
  readonly entry: PendingEntry

  constructor(entry: PendingEntry) {
    this.entry = entry
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

/**
 * Installs the clocks and timers of a scheduler.
 * @param options `jitter` replaces `Math.random`, with which retries avoid the same moment; `startMs` is the time of
 *   day at which the simulation starts, in milliseconds after 08:00.
 * @returns a function that restores the real ones.
 */
export function installVirtualGlobals(options: {
  scheduler: Scheduler
  jitter: Choices
  startMs: number
}): () => void {
  const { scheduler, jitter, startMs } = options
  const real = {
    Date,
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval,
    setImmediate,
    clearImmediate,
  }
  const realTimers = { setTimeout: timers.setTimeout, setImmediate: timers.setImmediate }
  const realNow = performance.now
  const realRandom = Math.random
  const realTimeout = AbortSignal.timeout
  const now = () =>
    START_OF_DAY + startMs + Math.floor(scheduler.now) + (currentContext()?.actor.clockOffset ?? 0)

  const virtual = {
    Date: new Proxy(Date, {
      construct: (target, args, newTarget) =>
        Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
      get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
    }),
    setTimeout: (callback: (...args: unknown[]) => void, milliseconds = 1, ...args: unknown[]) =>
      new VirtualTimeout(scheduler.after(Math.max(1, milliseconds), null, () => callback(...args))),
    clearTimeout: (timeout: unknown) => {
      if (timeout instanceof VirtualTimeout) scheduler.cancel(timeout.entry)
      else if (timeout !== undefined) Reflect.apply(real.clearTimeout, null, [timeout])
    },
    setInterval: () => {
      throw new Error('The simulated code uses no intervals')
    },
    clearInterval: () => undefined,
    setImmediate: (callback: (...args: unknown[]) => void, ...args: unknown[]) =>
      scheduler.nextTurn(() => callback(...args)),
    clearImmediate: (immediate: ReturnType<Scheduler['nextTurn']>) =>
      scheduler.cancelImmediate(immediate),
  }
  Object.assign(globalThis, exceptInReal(virtual, real))
  const virtualTimers = {
    setTimeout: (milliseconds: number, value: unknown, options: { signal?: AbortSignal } = {}) =>
      wait(scheduler, milliseconds, value, options.signal),
    setImmediate: (value: unknown) =>
      new Promise((resolve) => scheduler.nextTurn(() => resolve(value))),
  }
  Object.assign(timers, exceptInReal(virtualTimers, realTimers))
  syncBuiltinESMExports()
  performance.now = () => scheduler.now
  Math.random = () => jitter.between(0, 1)
  AbortSignal.timeout = (milliseconds) => {
    const controller = new AbortController()
    const error = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    scheduler.after(milliseconds, null, () => controller.abort(error))
    return controller.signal
  }

  return () => {
    Object.assign(globalThis, real)
    Object.assign(timers, realTimers)
    syncBuiltinESMExports()
    performance.now = realNow
    Math.random = realRandom
    AbortSignal.timeout = realTimeout
  }
}

/** The code of a real server uses the real timers. */
function exceptInReal(
  virtual: Record<string, unknown>,
  real: Record<string, unknown>,
): Record<string, unknown> {
  const entries = Object.entries(virtual).map(([name, replacement]) => {
    const original = real[name]
    if (name === 'Date' || typeof replacement !== 'function' || typeof original !== 'function') {
      return [name, replacement]
    }
    const choose = (...parameters: unknown[]) =>
      Reflect.apply(currentContext()?.actor.isReal ? original : replacement, null, parameters)
    return [name, choose]
  })
  return Object.fromEntries(entries)
}

function wait(
  scheduler: Scheduler,
  milliseconds: number,
  value: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const fail = () => reject(signal?.reason)
  if (signal?.aborted) fail()
  else {
    const entry = scheduler.after(Math.max(1, milliseconds), null, () => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    })
    const abort = () => {
      scheduler.cancel(entry)
      fail()
    }
    signal?.addEventListener('abort', abort, { once: true })
  }
  return promise
}
