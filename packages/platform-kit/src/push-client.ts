/** Sends changes to the hub as they happen. */

import { MAX_PUSH_BACKOFF_SECONDS } from '@recordhub/protocol/push-retry'
import { createCircuitBreaker } from './circuit-breaker.ts'
import {
  classifyResponse,
  type Rejected,
  type Retryable,
  type Stored,
} from './classify-response.ts'
import { connectToHub, type HubAddress } from './hub-connection.ts'
import type { Outbox } from './outbox.ts'
import {
  draftChanges,
  draftNewRecord,
  finishPush,
  type NewRecord,
  type Push,
  type PushDraft,
  type RecordChanges,
  type RecordReference,
} from './push.ts'

export type PushClientOptions = HubAddress & {
  /** Stores pushes until the hub has processed them, across restarts. Without one, a push lives as long as its call. */
  outbox?: Outbox
  /** Maximum time to deliver a push without an outbox; 30 s by default. */
  deliveryTimeoutMs?: number
  /** Maximum number of pushes in flight, each of a different record; 8 by default. */
  concurrency?: number
  /** Called for each push that the hub has stored. */
  onStored?: (push: Push, stored: Stored) => void
  /**
   * Called for each push that the hub has rejected permanently; the client then deletes it. With an outbox, the
   * default is to log it with `console.error`.
   */
  onRejected?: (push: Push, rejected: Rejected) => void
  /**
   * Called before each retry. With an outbox, the default is to log errors that require action with `console.error`.
   */
  onRetry?: (push: Push, retry: Retry) => void
}

type Retry = Pick<Retryable, 'reason' | 'requiresAction'> & { delayMs: number }

export type PushResult =
  | Stored
  | Rejected
  /** The push is in the outbox, and is sent as soon as possible. */
  | { outcome: 'queued' }
  /** There is no outbox, and the hub did not process the push in time. */
  | { outcome: 'timed_out'; reason: string }

export type PushClient = {
  /**
   * Sends a new record, or a complete new version of a record.
   * @throws TypeError for a record that cannot be sent; errors of the outbox.
   */
  created: (record: NewRecord) => Promise<PushResult>
  /**
   * Sends the changed fields of a record.
   * @throws as `created`.
   */
  updated: (reference: RecordReference, changes: RecordChanges) => Promise<PushResult>
  /** Resolves once the pushes left in the outbox are being sent again. Rejects if the outbox cannot be used. */
  ready: () => Promise<void>
  /** Resolves once no push is in flight or waiting. */
  idle: () => Promise<void>
  /** Lets requests in flight finish and sends no more. Pushes in the outbox stay there for the next start. */
  close: () => Promise<void>
}

/**
 * Creates a client that sends the pushes of one record in order, and those of different records concurrently.
 *
 * States of a push: queued (in the outbox, or waiting for earlier pushes of its record and for the circuit breaker) →
 * in flight → stored or rejected; after a retryable failure it waits for the backoff delay and is queued again, or
 * times out if there is no outbox.
 * @throws Error for an invalid address or key.
 */
export function createPushClient(options: PushClientOptions): PushClient {
  const { outbox, deliveryTimeoutMs = 30_000, concurrency = 8 } = options
  // Without an outbox, the caller gets the result.
  const { onStored, onRejected = outbox && logRejection } = options
  const { onRetry = outbox && logRequiredAction } = options
  const send = connectToHub(options)
  const circuitBreaker = createCircuitBreaker(concurrency)
  const delays = createDelays()
  const recordQueues = createRecordQueues()
  let newest = ''
  let isClosed = false

  async function deliver(push: Push, deadline: number | null): Promise<PushResult> {
    let reason = isClosed
      ? 'The push client is closed.'
      : 'The hub accepts no pushes at the moment.'
    for (let attempt = 1; await circuitBreaker.acquire(deadline); attempt += 1) {
      const result = classifyResponse(await send(push))
      if (result.outcome !== 'retryable') {
        circuitBreaker.success()
        callListener(() =>
          result.outcome === 'stored' ? onStored?.(push, result) : onRejected?.(push, result),
        )
        return result
      }
      const { minDelayMs, requiresAction } = result
      circuitBreaker.failure((failures) => backoffDelay(failures, minDelayMs))
      reason = result.reason
      const delayMs = backoffDelay(attempt, minDelayMs)
      if (deadline !== null && performance.now() + delayMs > deadline) break
      callListener(() => onRetry?.(push, { reason, requiresAction, delayMs }))
      await delays.wait(delayMs)
    }
    return { outcome: 'timed_out', reason }
  }

  async function deliverQueued(push: Push, from: Outbox): Promise<void> {
    const { outcome } = await deliver(push, null)
    if (outcome !== 'timed_out') await from.ack(push.id).catch(logFailedAck)
  }

  async function submit(draft: PushDraft): Promise<PushResult> {
    const now = new Date().toISOString()
    await ready
    if (isClosed) throw new Error('The push client is closed.')
    // If the clock was set back, a later push must not look older.
    if (now > newest) newest = now
    const push = finishPush(draft, newest)
    if (!outbox) {
      const deadline = performance.now() + deliveryTimeoutMs
      return recordQueues.run(push.recordKey, () => deliver(push, deadline))
    }
    // Both are called without an await between them, so the order of the calls is the order in the file and of sending.
    const enqueued = outbox.enqueue(push)
    void recordQueues.run(push.recordKey, () =>
      enqueued.then(
        () => deliverQueued(push, outbox),
        // The caller gets this error.
        () => undefined,
      ),
    )
    await enqueued
    return { outcome: 'queued' }
  }

  const ready = (async () => {
    if (!outbox) return
    const content = await outbox.load()
    newest = content.newest ?? ''
    for (const push of content.queued) {
      void recordQueues.run(push.recordKey, () => deliverQueued(push, outbox))
    }
  })()
  // Each method that needs the outbox reports this error.
  ready.catch(() => undefined)

  return {
    created: async (record) => submit(draftNewRecord(record)),
    updated: async (reference, changes) => submit(draftChanges(reference, changes)),
    ready: () => ready,
    async idle() {
      await ready
      await recordQueues.idle()
    },
    async close() {
      isClosed = true
      circuitBreaker.stop()
      delays.stop()
      await ready.catch(() => undefined)
      await recordQueues.idle()
      await outbox?.close()
    },
  }
}

/** Runs the work of each record in the order of the calls. */
function createRecordQueues() {
  /** The last work of each record that has any. */
  const tails = new Map<string, Promise<void>>()
  return {
    run<Result>(recordKey: string, work: () => Promise<Result>): Promise<Result> {
      const result = (tails.get(recordKey) ?? Promise.resolve()).then(work)
      const tail: Promise<void> = result
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => {
          if (tails.get(recordKey) === tail) tails.delete(recordKey)
        })
      tails.set(recordKey, tail)
      return result
    },
    async idle(): Promise<void> {
      while (tails.size > 0) await Promise.all(tails.values())
    },
  }
}

/** An error thrown by a listener must not stop the sending. */
function callListener(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    console.error('recordhub push client: a listener failed:', error)
  }
}

function logRejection({ method, recordKey }: Push, { status, message }: Rejected): void {
  console.error(`recordhub: the hub rejected a ${method} of ${recordKey} (${status}): ${message}`)
}

function logRequiredAction({ method, recordKey }: Push, { reason, requiresAction }: Retry): void {
  if (requiresAction) console.error(`recordhub: a ${method} of ${recordKey} waits: ${reason}`)
}

/** The push is sent again after a restart, which changes nothing at the hub. */
function logFailedAck(error: unknown): void {
  console.error('recordhub outbox: a delivered push could not be deleted:', error)
}

const BASE_DELAY_MS = 500
const MAX_DELAY_MS = MAX_PUSH_BACKOFF_SECONDS * 1000

/**
 * The delay before the next attempt: exponential with jitter, so that platforms do not all retry at the same time.
 * @param failures the number of consecutive failures, at least 1.
 * @param minMs the delay in `Retry-After`, to which the backoff is added.
 * @param random between 0 and 1.
 */
export function backoffDelay(
  failures: number,
  minMs: number,
  random: number = Math.random(),
): number {
  const maxMs = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(failures - 1, 20))
  return Math.round(minMs + (maxMs / 2) * (1 + random))
}

/** Delays that can be ended together. */
type Delays = {
  /** Resolves after the delay, or as soon as `stop` is called. */
  wait: (ms: number) => Promise<void>
  stop: () => void
}

function createDelays(): Delays {
  const waiting = new Set<() => void>()
  let isStopped = false
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        if (isStopped) return resolve()
        const end = () => {
          clearTimeout(timer)
          waiting.delete(end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        waiting.add(end)
      }),
    stop() {
      isStopped = true
      for (const end of waiting) end()
    },
  }
}
