/** The current snapshot of the hub, and the state of the connection to it. */
import type { Alert, Pull, Snapshot } from '@recordhub/protocol'
import { POLLING_INTERVAL_SECONDS } from '@recordhub/protocol/constants'
import { createStore } from '../lib/store.ts'
import { readCsrfToken } from './csrf-token.ts'
import { createPollScheduler } from './poll-scheduler.ts'
import { session, waitForSecondFactor, waitForSignIn } from './session.ts'

// From `constants`, because the index would load the schema library.

/**
 * `live`: events arrive in addition to polling; `offline`: no response; `rate_limited`: the operator sends too many
 * requests; `failing`: any other error response.
 */
export type Connection = 'connecting' | 'polling' | 'live' | 'offline' | 'rate_limited' | 'failing'

const UNAVAILABLE: readonly Connection[] = ['offline', 'rate_limited', 'failing']

export const snapshot = createStore<Snapshot | null>(null)
export const connection = createStore<Connection>('connecting')

/** The value of `Date.now()` when the snapshot was received. */
let receivedAt = 0

/** The age of the snapshot in milliseconds. */
export function snapshotAge(now: number): number {
  return Math.max(0, now - receivedAt)
}

type Change = (current: Snapshot) => Snapshot
/** Changes by actions since the last request for a snapshot was sent. */
let unconfirmed: Change[] = []

/** Shows the result of an action without another request. The next snapshot contains it. */
function change(apply: Change): void {
  unconfirmed.push(apply)
  const current = snapshot.get()
  if (current) snapshot.set(apply(current))
}

/** Shows a pull that an action has returned. */
export function showPull(pull: Pull): void {
  change((current) => withPull(current, pull))
}

/** Shows an alert that an action has returned. */
export function showAlert(alert: Alert): void {
  change((current) => {
    const latest = current.alerts.latest.map((one) => (one.id === alert.id ? alert : one))
    return { ...current, alerts: { ...current.alerts, latest } }
  })
}

let etag = ''
type ChangeSource = 'snapshot' | 'event'
const listeners = new Set<(source: ChangeSource) => void>()

/** Calls `listener` after each new snapshot and on each event of the hub. */
export function onChange(listener: (source: ChangeSource) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const responseListeners = new Set<() => void>()

/** Calls `listener` after each successful poll, including 304. */
export function onResponse(listener: () => void): () => void {
  responseListeners.add(listener)
  return () => responseListeners.delete(listener)
}

const notifyListeners = (source: ChangeSource) => {
  for (const listener of listeners) listener(source)
}

async function pollSnapshot(): Promise<void> {
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'X-Requested-With': 'XMLHttpRequest',
  }
  if (etag !== '') headers['If-None-Match'] = etag
  const csrfToken = readCsrfToken()
  unconfirmed = []
  try {
    const response = await fetch('/dashboard/realtime', {
      headers,
      cache: 'no-store',
      credentials: 'same-origin',
    })
    if (response.status === 401) {
      await waitForSignIn(csrfToken)
      return
    }
    if (response.status === 403) {
      await waitForSecondFactor()
      return
    }
    if (response.ok) {
      etag = response.headers.get('ETag') ?? ''
      const read: Snapshot = await response.json()
      receivedAt = Date.now()
      // The hub may have read the snapshot before it performed an action that was sent meanwhile.
      snapshot.set(unconfirmed.reduce((current, apply) => apply(current), read))
    }
    if (response.ok || response.status === 304) {
      // Queries that failed while the hub was unavailable are refetched now, even after a 304.
      const wasUnavailable = UNAVAILABLE.includes(connection.get())
      connection.set(isListening() ? 'live' : 'polling')
      if (response.ok || wasUnavailable) notifyListeners('snapshot')
      for (const listener of responseListeners) listener()
    } else connection.set(response.status === 429 ? 'rate_limited' : 'failing')
  } catch {
    connection.set('offline')
  }
}

let events: EventSource | null = null
const isListening = () => events !== null && events.readyState === EventSource.OPEN

/** Opens or closes the event stream. Events only signal a change. If the stream breaks, polling continues. */
function updateEventStream(): void {
  const isNeeded =
    snapshot.get()?.broadcasting === true && !document.hidden && !session.get().hasEnded
  if (isNeeded && (events === null || events.readyState === EventSource.CLOSED)) {
    events = new EventSource('/dashboard/events')
    events.onopen = () => connection.set('live')
    events.onerror = () => connection.get() === 'live' && connection.set('polling')
    events.onmessage = () => {
      notifyListeners('event')
      scheduler?.trigger()
    }
  } else if (!isNeeded) {
    events?.close()
    events = null
  }
}

let scheduler: ReturnType<typeof createPollScheduler> | null = null

/** Starts polling; once per page load. */
export function startLive(): void {
  if (scheduler) return
  scheduler = createPollScheduler({
    intervalMs: POLLING_INTERVAL_SECONDS * 1000,
    poll: () => pollSnapshot().then(updateEventStream),
    isHidden: () => document.hidden,
    now: () => performance.now(),
    setTimer(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  })
  document.addEventListener('visibilitychange', () => {
    updateEventStream()
    scheduler?.trigger()
  })
  scheduler.trigger()
}

/** The snapshot with a pull that an action has returned, until the next snapshot of the hub contains it. */
export function withPull(snapshot: Snapshot, pull: Pull): Snapshot {
  const { pull: shown } = snapshot
  const tasks = (shown.pull ?? shown.last)?.id === pull.id ? shown.tasks : []
  if (pull.finished_at === null) {
    return { ...snapshot, pull: { ...shown, running: true, pull, tasks } }
  }
  return { ...snapshot, pull: { ...shown, running: false, pull: null, last: pull, tasks } }
}
