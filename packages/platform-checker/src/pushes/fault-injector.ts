/**
 * Injects faults into the responses to pushes, one after the other, and observes how the platform retries.
 *
 * | state              | fault                        | a retry of the push                      | the state ends when              |
 * |--------------------|------------------------------|------------------------------------------|----------------------------------|
 * | idle               | none                         | is accepted                              | a new push gets the next fault   |
 * | awaiting_retry     | unavailable: 503             | too early: 503 again; otherwise accepted | a retry is accepted: idle        |
 * | awaiting_retry     | disconnected: no response    | is accepted                              | a retry is accepted: idle        |
 * | rejecting_key      | unauthorized: 401            | gets 401 during the observation time     | a later retry is accepted: idle  |
 * | observing_rejected | rejected: 422                | gets 422, also in all later states       | the observation time ends: idle  |
 *
 * All other pushes are accepted in every state. A fault is handled when its state ends without a retry storm. The platform
 * handles `rejected` by not sending the push again, and the other faults by sending it again in time and in order.
 */
import { MAX_PUSH_BACKOFF_SECONDS } from '@recordhub/protocol/push-retry'

export type Fault = 'unavailable' | 'disconnected' | 'rejected' | 'unauthorized'

export type FaultLimits = {
  retryAfterSeconds: number
  /** How long a push gets 401, and how long a push that got 422 must not be sent again. */
  observationMs: number
}

export type FaultEvent =
  | { type: 'handled'; fault: Fault }
  | { type: 'retried_too_early' }
  | { type: 'retry_storm'; fault: Fault; attempts: number }
  | { type: 'out_of_order' }

/** The fault to inject into the response to a push, or null if the hub's own rules apply; and the observed events. */
type Injection = { fault: Fault | null; events: FaultEvent[] }

/** Recognises a push and the record that it is for. */
export type PushIdentity = { push: string; record: string; hasTime: boolean }

/** 401 is last, since its push is rejected for the complete observation time. */
const FAULTS: readonly Fault[] = ['unavailable', 'disconnected', 'rejected', 'unauthorized']
/** Pushes accepted before the first fault, so that a platform with few pushes shows a POST and a PATCH. */
const ACCEPTED_FIRST = 2
/** A backoff that begins with half a second makes this many attempts within the observation time; a loop makes more. */
export const MAX_ATTEMPTS_WITH_BACKOFF = 6
/** A user who saves twice sends a rejected push again, but not three times. */
const MAX_ATTEMPTS_OF_REJECTED = 3
/** A platform that has not retried for longer than this has stopped retrying. */
const MAX_PAUSE_MS = MAX_PUSH_BACKOFF_SECONDS * 1500
/** Tolerance for platforms whose timers round. */
const RETRY_AFTER_TOLERANCE_MS = 100

type FaultState = {
  name: 'awaiting_retry' | 'rejecting_key' | 'observing_rejected'
  fault: Fault
  identity: PushIdentity
  since: number
  lastAttemptAt: number
  attempts: number
  hasStorm: boolean
}
type State = { name: 'idle' } | FaultState

const STATE_OF_FAULT: Record<Fault, FaultState['name']> = {
  unavailable: 'awaiting_retry',
  disconnected: 'awaiting_retry',
  rejected: 'observing_rejected',
  unauthorized: 'rejecting_key',
}

export class FaultInjector {
  readonly #limits: FaultLimits
  readonly #remaining = [...FAULTS]
  readonly #seen = new Set<string>()
  /** The pushes that got 422. */
  readonly #rejected = new Set<string>()
  #state: State = { name: 'idle' }
  #accepted = 0
  /** Attempts of rejected pushes after their observation. */
  #lateAttempts = 0

  constructor(limits: FaultLimits) {
    this.#limits = limits
  }

  /** @param now in milliseconds, by a monotonic clock. */
  receive(identity: PushIdentity, now: number): Injection {
    const events = this.endObservation(now)
    const state = this.#state
    const isRetry = state.name !== 'idle' && state.identity.push === identity.push
    if (isRetry) return this.#receiveRetry(state, now, events)
    if (this.#rejected.has(identity.push)) return this.#receiveRejectedAgain(events)
    if (state.name !== 'idle' && isOutOfOrder(state, identity)) {
      events.push({ type: 'out_of_order' })
    }
    const isNew = !this.#seen.has(identity.push)
    this.#seen.add(identity.push)
    if (state.name === 'idle' && isNew && this.#accepted >= ACCEPTED_FIRST) {
      const fault = this.#remaining.shift()
      if (fault !== undefined) return this.#inject(fault, identity, now, events)
    }
    this.#accepted += 1
    return { fault: null, events }
  }

  /** Ends the observation of a rejected push. Called regularly, since its end is not triggered by a push. */
  endObservation(now: number): FaultEvent[] {
    const state = this.#state
    if (state.name !== 'observing_rejected' || !this.#isObserved(state, now)) return []
    return this.#endFault(state)
  }

  /** The fault whose push should have been sent again by now; null without one. */
  findMissingRetry(now: number): Fault | null {
    const state = this.#state
    if (state.name === 'idle' || state.name === 'observing_rejected') return null
    // A platform whose key is rejected may be in a long pause of its backoff.
    const mayPause = state.name === 'rejecting_key' && now - state.lastAttemptAt < MAX_PAUSE_MS
    return mayPause ? null : state.fault
  }

  #inject(fault: Fault, identity: PushIdentity, now: number, events: FaultEvent[]): Injection {
    const attempt = { since: now, lastAttemptAt: now, attempts: 1, hasStorm: false }
    this.#state = { name: STATE_OF_FAULT[fault], fault, identity, ...attempt }
    if (fault === 'rejected') this.#rejected.add(identity.push)
    return { fault, events }
  }

  #receiveRetry(state: FaultState, now: number, events: FaultEvent[]): Injection {
    const { fault } = state
    state.attempts += 1
    state.lastAttemptAt = now
    const isObserved = this.#isObserved(state, now)
    const maxAttempts = fault === 'rejected' ? MAX_ATTEMPTS_OF_REJECTED : MAX_ATTEMPTS_WITH_BACKOFF
    if (state.attempts > maxAttempts && !isObserved && !state.hasStorm) {
      state.hasStorm = true
      events.push({ type: 'retry_storm', fault, attempts: state.attempts - 1 })
    }
    switch (state.name) {
      case 'observing_rejected':
        return { fault, events }
      case 'rejecting_key':
        if (!isObserved) return { fault, events }
        return { fault: null, events: [...events, ...this.#endFault(state)] }
      case 'awaiting_retry':
        if (fault === 'unavailable' && this.#isTooEarly(state, now)) {
          events.push({ type: 'retried_too_early' })
          return { fault, events }
        }
        this.#state = { name: 'idle' }
        return { fault: null, events: [...events, { type: 'handled', fault }] }
    }
  }

  #receiveRejectedAgain(events: FaultEvent[]): Injection {
    const fault = 'rejected'
    this.#lateAttempts += 1
    if (this.#lateAttempts === MAX_ATTEMPTS_OF_REJECTED) {
      events.push({ type: 'retry_storm', fault, attempts: MAX_ATTEMPTS_OF_REJECTED })
    }
    return { fault, events }
  }

  /** Returns to idle; the fault is handled unless the platform caused a retry storm. */
  #endFault({ fault, hasStorm }: FaultState): FaultEvent[] {
    this.#state = { name: 'idle' }
    return hasStorm ? [] : [{ type: 'handled', fault }]
  }

  #isObserved({ since }: FaultState, now: number): boolean {
    return now - since >= this.#limits.observationMs
  }

  #isTooEarly({ since }: FaultState, now: number): boolean {
    const { retryAfterSeconds } = this.#limits
    return now - since < retryAfterSeconds * 1000 - RETRY_AFTER_TOLERANCE_MS
  }
}

/** Whether a push overtakes an earlier push of its record. If both have their time, the hub orders them itself. */
function isOutOfOrder({ name, identity }: FaultState, later: PushIdentity): boolean {
  return (
    name !== 'observing_rejected' &&
    identity.record === later.record &&
    !(identity.hasTime && later.hasTime)
  )
}
