/** Tells the hub at once what changed. */
import { HUB_KEY_HEADER, RECEIVER_PATH } from '@recordhub/protocol/constants'
import { type Delivery, type HubAnswer, type HubBody, judgeAnswer } from './delivery.ts'
import type { Outbox } from './outbox.ts'
import {
  changePush,
  type NewRecord,
  newRecordPush,
  type Push,
  type RecordChanges,
  type RecordReference,
} from './push.ts'

export type PushClientOptions = {
  /** The address of the hub: `https://hub.example.org`. */
  hubUrl: string
  /** The key that the hub made for this platform. */
  hubApiKey: string
  /**
   * Keeps pushes until the hub has them, over restarts too. Without one a push lives as long as its call.
   */
  outbox?: Outbox
  /** How long an answer may take; 10 s where it is left out. */
  timeoutMs?: number
  /** How often a push without an outbox is tried; 5 times where it is left out. */
  attempts?: number
  /** How many records are on their way at once; 8 where it is left out. */
  concurrency?: number
  /** Told of each push from the outbox that the hub will never take, which is then dropped. */
  onRefused?: (refusal: PushRefusal) => void
  /** Told why a push waits, each time. */
  onWaiting?: (waiting: { push: Push; reason: string; afterMs: number }) => void
  fetch?: typeof globalThis.fetch
}

export type PushRefusal = Extract<Delivery, { outcome: 'refused' }> & { push: Push }

export type PushResult =
  | Extract<Delivery, { outcome: 'stored' | 'refused' }>
  /** It is in the outbox, and reaches the hub as soon as that can be. */
  | { outcome: 'kept' }
  /** There is no outbox, and the hub did not take it in so many attempts. */
  | { outcome: 'given up'; reason: string }

export type PushClient = {
  /** A new record, or one that replaces the whole of what the hub has. */
  created: (record: NewRecord) => Promise<PushResult>
  /** The fields that changed; null empties one. */
  updated: (reference: RecordReference, changes: RecordChanges) => Promise<PushResult>
  /** Resolves once nothing is under way or waiting. */
  idle: () => Promise<void>
  /** Ends waiting; what is in the outbox stays there for the next start. */
  close: () => Promise<void>
}

/**
 * A client that sends pushes of one record in their order, and others side by side.
 * @throws Error for an address or key that is none.
 */
export function createPushClient(options: PushClientOptions): PushClient {
  const { hubApiKey, outbox, timeoutMs = 10_000, attempts = 5, concurrency = 8 } = options
  const target = new URL(RECEIVER_PATH, options.hubUrl)
  if (!hubApiKey) throw new Error('The push client needs the hub API key.')
  const fetch = options.fetch ?? globalThis.fetch
  const closing = new AbortController()
  /** The last push of each record, so that the next one waits for it. */
  const last = new Map<string, Promise<unknown>>()
  const slots = createSlots(concurrency)

  async function send({ method, body }: Push): Promise<HubAnswer> {
    try {
      const response = await fetch(target, {
        method,
        headers: {
          Accept: 'application/json',
          'Content-Type': 'application/json',
          [HUB_KEY_HEADER]: hubApiKey,
        },
        body,
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), closing.signal]),
      })
      const answer: HubBody | null = await readJson(response)
      return { status: response.status, retryAfterSeconds: retryAfter(response), body: answer }
    } catch (error) {
      return { status: 0, reason: error instanceof Error ? error.message : String(error) }
    }
  }

  async function deliver(push: Push, most: number): Promise<PushResult> {
    for (let attempt = 1; ; attempt++) {
      const answer = await slots.use(() => send(push))
      const delivery = judgeAnswer(answer, attempt, Math.random())
      if (delivery.outcome !== 'again') return delivery
      const { reason, afterMs } = delivery
      if (attempt >= most || closing.signal.aborted) return { outcome: 'given up', reason }
      options.onWaiting?.({ push, reason, afterMs })
      await pause(afterMs, closing.signal)
      if (closing.signal.aborted) return { outcome: 'given up', reason: 'The client was closed.' }
    }
  }

  /** After all that was pushed of the same record before. */
  function inOrder<Result>(push: Push, work: () => Promise<Result>): Promise<Result> {
    const before = last.get(push.recordKey) ?? Promise.resolve()
    const mine = before.then(work)
    const settled = mine.then(
      () => undefined,
      () => undefined,
    )
    last.set(push.recordKey, settled)
    void settled.then(() => {
      if (last.get(push.recordKey) === settled) last.delete(push.recordKey)
    })
    return mine
  }

  async function deliverKept(push: Push, box: Outbox): Promise<void> {
    const result = await deliver(push, Number.POSITIVE_INFINITY)
    if (result.outcome === 'given up') return
    if (result.outcome === 'refused') options.onRefused?.({ ...result, push })
    await box.drop(push.id)
  }

  async function take(push: Push): Promise<PushResult> {
    if (closing.signal.aborted) throw new Error('The push client is closed.')
    if (!outbox) return inOrder(push, () => deliver(push, attempts))
    await started
    // Kept and queued in one step, so that the order of calls is that of the file and of the sending.
    const kept = outbox.keep(push)
    void inOrder(push, async () => {
      await kept
      await deliverKept(push, outbox)
    }).catch((error: unknown) => options.onWaiting?.({ push, reason: String(error), afterMs: 0 }))
    await kept
    return { outcome: 'kept' }
  }

  const started = (async () => {
    for (const push of (await outbox?.load()) ?? []) {
      if (outbox) void inOrder(push, () => deliverKept(push, outbox))
    }
  })()
  // Told to whoever pushes.
  started.catch(() => undefined)

  return {
    created: (record) => take(newRecordPush(record, new Date())),
    updated: (reference, changes) => take(changePush(reference, changes, new Date())),
    async idle() {
      await started
      while (last.size > 0) await Promise.all(last.values())
    },
    async close() {
      closing.abort()
      await started.catch(() => undefined)
      await Promise.all(last.values())
      await outbox?.close()
    },
  }
}

/** Lets so many run at once. */
function createSlots(count: number): {
  use: <Result>(work: () => Promise<Result>) => Promise<Result>
} {
  let free = count
  const waiting: (() => void)[] = []
  return {
    async use(work) {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else free += 1
      }
    },
  }
}

/** Null where it is no JSON: a proxy's page, for instance. */
async function readJson(response: Response): Promise<HubBody | null> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function retryAfter(response: Response): number | null {
  const text = response.headers.get('retry-after')
  if (text === null) return null
  if (/^\d+$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
