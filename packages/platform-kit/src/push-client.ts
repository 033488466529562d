/** Tells the hub at once what changed. */
import { judgeSending, type Refused, type Stored, waitAfter } from './delivery.ts'
import { createGate } from './gate.ts'
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
  /** Keeps pushes until the hub has them, over restarts too. Without one a push lives as long as its call. */
  outbox?: Outbox
  /** How long a push without an outbox is tried; 30 s where it is left out. */
  giveUpAfterMs?: number
  /** How many pushes are on their way at once, of different records; 8 where it is left out. */
  concurrency?: number
  /** Told of each push that the hub has. */
  onStored?: (push: Push, stored: Stored) => void
  /**
   * Told of each push that the hub will never take, which is then forgotten. Goes to `console.error` where there is an
   * outbox and this is left out.
   */
  onRefused?: (push: Push, refused: Refused) => void
  /**
   * Told each time that a push has to wait: why, and how long. Where there is an outbox and this is left out, what only
   * people can mend goes to `console.error`.
   */
  onWaiting?: (push: Push, waiting: Waiting) => void
}

type Waiting = { reason: string; needsPeople: boolean; ms: number }

export type PushResult =
  | Stored
  | Refused
  /** It is in the outbox, and reaches the hub as soon as that can be. */
  | { outcome: 'kept' }
  /** There is no outbox, and the hub did not take it in time. */
  | { outcome: 'given up'; reason: string }

export type PushClient = {
  /**
   * A new record, or one in the place of all that the hub has of it.
   * @throws TypeError for what cannot be sent, and whatever the outbox throws.
   */
  created: (record: NewRecord) => Promise<PushResult>
  /**
   * The fields that changed.
   * @throws as `created`.
   */
  updated: (reference: RecordReference, changes: RecordChanges) => Promise<PushResult>
  /** Resolves once what waited in the outbox is on its way again. Throws where the outbox cannot be used. */
  ready: () => Promise<void>
  /** Resolves once nothing is under way or waiting. */
  idle: () => Promise<void>
  /** Lets what is under way end, and begins nothing more; what is in the outbox stays for the next start. */
  close: () => Promise<void>
}

/**
 * A client that sends the pushes of one record in their order, and others side by side.
 * @throws Error for an address or a key that can be none.
 */
export function createPushClient(options: PushClientOptions): PushClient {
  const { outbox, giveUpAfterMs = 30_000, concurrency = 8 } = options
  // Without an outbox whoever pushes is told anyway.
  const { onStored, onRefused = outbox && reportRefusal } = options
  const { onWaiting = outbox && reportWaiting } = options
  const send = connectToHub(options)
  const gate = createGate(concurrency)
  /** The last push of each record, for the next one to wait for. */
  const last = new Map<string, Promise<void>>()
  let newest = ''
  let isClosed = false

  async function deliver(push: Push, endsAt: number | null): Promise<PushResult> {
    let reason = isClosed ? 'The push client is closed.' : 'The hub takes nothing at the moment.'
    for (let attempt = 1; await gate.enter(endsAt); attempt += 1) {
      const judged = judgeSending(await send(push))
      if (judged.outcome !== 'again') {
        gate.leaveWell()
        tell(() =>
          judged.outcome === 'stored' ? onStored?.(push, judged) : onRefused?.(push, judged),
        )
        return judged
      }
      gate.leaveIll((failures) => waitAfter(judged, failures, Math.random()))
      reason = judged.reason
      const ms = waitAfter(judged, attempt, Math.random())
      if (endsAt !== null && performance.now() + ms > endsAt) break
      tell(() => onWaiting?.(push, { reason, needsPeople: judged.needsPeople, ms }))
      await gate.rest(ms)
    }
    return { outcome: 'given up', reason }
  }

  /** After all that was asked for of the same record before. */
  function inOrder<Result>(push: PushDraft | Push, work: () => Promise<Result>): Promise<Result> {
    const mine = (last.get(push.recordKey) ?? Promise.resolve()).then(work)
    const over = mine.then(
      () => undefined,
      () => undefined,
    )
    last.set(push.recordKey, over)
    void over.then(() => {
      if (last.get(push.recordKey) === over) last.delete(push.recordKey)
    })
    return mine
  }

  async function deliverKept(push: Push, from: Outbox): Promise<void> {
    const { outcome } = await deliver(push, null)
    if (outcome !== 'given up') await from.drop(push.id).catch(reportUndropped)
  }

  async function take(draft: PushDraft): Promise<PushResult> {
    const now = new Date().toISOString()
    await ready
    if (isClosed) throw new Error('The push client is closed.')
    // A clock that was put back must not make what comes later look older.
    if (now > newest) newest = now
    const push = finishPush(draft, newest)
    if (!outbox) {
      const endsAt = performance.now() + giveUpAfterMs
      return inOrder(push, () => deliver(push, endsAt))
    }
    // Kept and queued in one step: the order of the calls is that of the file and of the sending.
    const kept = outbox.keep(push)
    void inOrder(push, () =>
      kept.then(
        () => deliverKept(push, outbox),
        // Told to whoever pushed.
        () => undefined,
      ),
    )
    await kept
    return { outcome: 'kept' }
  }

  const ready = (async () => {
    if (!outbox) return
    const content = await outbox.load()
    newest = content.newest ?? ''
    for (const push of content.waiting) void inOrder(push, () => deliverKept(push, outbox))
  })()
  // Told to whoever pushes or asks.
  ready.catch(() => undefined)

  return {
    created: async (record) => take(draftNewRecord(record)),
    updated: async (reference, changes) => take(draftChanges(reference, changes)),
    ready: () => ready,
    async idle() {
      await ready
      while (last.size > 0) await Promise.all(last.values())
    },
    async close() {
      isClosed = true
      gate.close()
      await ready.catch(() => undefined)
      await Promise.all(last.values())
      await outbox?.close()
    },
  }
}

/** What a listener throws must not end the sending. */
function tell(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    console.error('recordhub push client, in a listener:', error)
  }
}

function reportRefusal({ method, recordKey }: Push, { status, message }: Refused): void {
  console.error(`recordhub: the hub refused a ${method} of ${recordKey} (${status}): ${message}`)
}

function reportWaiting({ method, recordKey }: Push, { reason, needsPeople }: Waiting): void {
  if (needsPeople) console.error(`recordhub: a ${method} of ${recordKey} waits: ${reason}`)
}

/** It would be sent again after a restart, which changes nothing at the hub. */
function reportUndropped(error: unknown): void {
  console.error('recordhub outbox: what has arrived could not be forgotten:', error)
}
