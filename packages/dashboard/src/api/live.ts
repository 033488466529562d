/** What the page shows of the hub at this moment: the snapshot, and whether it is fresh. */
import type { Alert, Pull, Snapshot } from '@recordhub/protocol'
// Apart, since the schemas would bring their library along.
import { POLLING_INTERVAL_SECONDS } from '@recordhub/protocol/constants'
import { createStore } from '../lib/store.ts'
import { readCsrfToken } from './csrf-token.ts'
import { createPollingRhythm } from './polling-rhythm.ts'
import { session, waitForSecondFactor, waitForSignIn } from './session.ts'
import { withPull } from './with-pull.ts'

/**
 * `live`: events arrive as well; `offline`: the hub does not answer; `limited`: this operator asks
 * too much of it; `troubled`: it answers with another error.
 */
export type Connection = 'connecting' | 'polling' | 'live' | 'offline' | 'limited' | 'troubled'

const AWAY: readonly Connection[] = ['offline', 'limited', 'troubled']

export const snapshot = createStore<Snapshot | null>(null)
export const connection = createStore<Connection>('connecting')

/** When the snapshot was received, by `Date.now()`. */
let receivedAt = 0

/** How old the snapshot is, in milliseconds. */
export function snapshotAge(now: number): number {
  return Math.max(0, now - receivedAt)
}

type Change = (current: Snapshot) => Snapshot
/** What actions have changed since the last request for a snapshot was sent. */
let unconfirmed: Change[] = []

/** Shows what an action has changed, without another request: the next snapshot contains it. */
function change(apply: Change): void {
  unconfirmed.push(apply)
  const current = snapshot.get()
  if (current) snapshot.set(apply(current))
}

/** Shows a pull as an action has returned it. */
export function showPull(pull: Pull): void {
  change((current) => withPull(current, pull))
}

/** Shows an alert as an action has returned it. */
export function showAlert(alert: Alert): void {
  change((current) => {
    const latest = current.alerts.latest.map((one) => (one.id === alert.id ? alert : one))
    return { ...current, alerts: { ...current.alerts, latest } }
  })
}

let etag = ''
type ChangeSource = 'snapshot' | 'event'
const listeners = new Set<(source: ChangeSource) => void>()

/** Calls `listener` when something may have changed: with each new snapshot, and on the hub's events. */
export function onChange(listener: (source: ChangeSource) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const responseListeners = new Set<() => void>()

/** Calls `listener` whenever the hub has responded to the polling: it is available. */
export function onResponse(listener: () => void): () => void {
  responseListeners.add(listener)
  return () => responseListeners.delete(listener)
}

const tellChange = (source: ChangeSource) => {
  for (const listener of listeners) listener(source)
}

async function askForSnapshot(): Promise<void> {
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'X-Requested-With': 'XMLHttpRequest',
  }
  if (etag !== '') headers['If-None-Match'] = etag
  const sentWith = readCsrfToken()
  unconfirmed = []
  try {
    const response = await fetch('/dashboard/realtime', {
      headers,
      cache: 'no-store',
      credentials: 'same-origin',
    })
    if (response.status === 401) {
      await waitForSignIn(sentWith)
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
      // The hub may have read it before it did what an action asked for meanwhile.
      snapshot.set(unconfirmed.reduce((current, apply) => apply(current), read))
    }
    if (response.ok || response.status === 304) {
      // What could not be read while the hub was away is read now, also where nothing has changed.
      const wasAway = AWAY.includes(connection.get())
      connection.set(isListening() ? 'live' : 'polling')
      if (response.ok || wasAway) tellChange('snapshot')
      for (const listener of responseListeners) listener()
    } else connection.set(response.status === 429 ? 'limited' : 'troubled')
  } catch {
    connection.set('offline')
  }
}

let events: EventSource | null = null
const isListening = () => events?.readyState === EventSource.OPEN

/** Events only say that something changed. Where they break, polling goes on alone, and the browser tries again. */
function listen(): void {
  const isWanted =
    snapshot.get()?.broadcasting === true && !document.hidden && !session.get().hasEnded
  if (isWanted && (events === null || events.readyState === EventSource.CLOSED)) {
    events = new EventSource('/dashboard/events')
    events.onopen = () => connection.set('live')
    events.onerror = () => connection.get() === 'live' && connection.set('polling')
    events.onmessage = () => {
      tellChange('event')
      rhythm?.wish()
    }
  } else if (!isWanted) {
    events?.close()
    events = null
  }
}

let rhythm: ReturnType<typeof createPollingRhythm> | null = null

/** Begins to follow the hub; once in the life of a page. */
export function startLive(): void {
  if (rhythm) return
  rhythm = createPollingRhythm({
    intervalMs: POLLING_INTERVAL_SECONDS * 1000,
    ask: () => askForSnapshot().then(listen),
    isHidden: () => document.hidden,
    now: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  })
  document.addEventListener('visibilitychange', () => {
    listen()
    rhythm?.wish()
  })
  rhythm.wish()
}
