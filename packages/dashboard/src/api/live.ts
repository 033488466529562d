/** The current snapshot of the hub, and the state of the connection to it. */
import type {
  DashboardEventName,
  DashboardEvents,
  InboxItem,
  Pull,
  Schedule,
  Snapshot,
} from '@recordhub/protocol'
import { POLLING_INTERVAL_SECONDS } from '@recordhub/protocol/constants'
import { isHubReachable } from '../lib/load-page.ts'
import { createStore } from '../lib/store.ts'
import { pageHeaders, readCsrfToken } from './csrf-token.ts'
import { withPull, withPullEvent } from './newest-pull.ts'
import { createPollScheduler } from './poll-scheduler.ts'
import { replacements, session, waitForSecondFactor, waitForSignIn } from './session.ts'

// From `constants`, because the index would load the schema library.

/**
 * `live`: events arrive in addition to polling; `offline`: no response; `rate_limited`: the operator sends too many
 * requests; `failing`: any other error response.
 */
export type Connection = 'connecting' | 'polling' | 'live' | 'offline' | 'rate_limited' | 'failing'

const UNAVAILABLE: readonly Connection[] = ['offline', 'rate_limited', 'failing']

export const snapshot = createStore<Snapshot | null>(null)
export const connection = createStore<Connection>('connecting')

/** The value of `Date.now()` when the hub last confirmed the snapshot. */
let confirmedAt = 0
/** The clock of the hub minus that of the browser. */
let clockDifference = 0
/** The `Date` header has no fractions of a second. */
const MIN_CLOCK_DIFFERENCE_MS = 2000

/** The age of the snapshot in milliseconds, by `Date.now()`. */
export function snapshotAge(now: number): number {
  return Math.max(0, now - confirmedAt)
}

/** The time of the hub's clock for which the page has the state: now while events arrive, otherwise that of the snapshot. */
export function stateTime(now: number): number {
  return (connection.get() === 'live' ? now : Math.min(now, confirmedAt)) + clockDifference
}

function confirm(response: Response): void {
  confirmedAt = Date.now()
  const difference = Date.parse(response.headers.get('Date') ?? '') - confirmedAt
  clockDifference = Math.abs(difference) >= MIN_CLOCK_DIFFERENCE_MS ? difference : 0
}

type Change = (current: Snapshot) => Snapshot
/** Changes by actions and events since the last request for a snapshot was sent. */
let unconfirmed: Change[] = []

/** Shows the result of an action, or the content of an event, without another request. The next snapshot contains it. */
function change(apply: Change): void {
  unconfirmed.push(apply)
  const current = snapshot.get()
  if (current) snapshot.set(apply(current))
}

/** Shows a pull that an action has returned. */
export function showPull(pull: Pull): void {
  change((current) => withPull(current, pull))
}

/** Hides an item of the inbox that an action has put aside. @returns shows it again where it was. */
export function hideInboxItem(item: InboxItem): () => void {
  const at = snapshot.get()?.inbox.items.findIndex(({ key }) => key === item.key) ?? -1
  const set = (isShown: boolean) =>
    change((current) => {
      const { items: before, open } = current.inbox
      const without = before.filter(({ key }) => key !== item.key)
      const items = isShown && at >= 0 ? without.toSpliced(at, 0, item) : without
      const inbox = { ...current.inbox, items, open: open + items.length - before.length }
      return { ...current, inbox }
    })
  set(false)
  return () => set(true)
}

let etag = ''
/** `requests`: the request log has more requests, or may have some while no events arrive. */
type ChangeSource = 'snapshot' | 'event' | 'requests'
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

async function pollSnapshot(responded: () => void): Promise<void> {
  const headers = pageHeaders('GET')
  if (etag !== '') headers['If-None-Match'] = etag
  const csrfToken = readCsrfToken()
  unconfirmed = []
  try {
    const response = await fetch('/dashboard/realtime', {
      headers,
      cache: 'no-store',
      credentials: 'same-origin',
    }).finally(responded)
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
      // The clock of the hub is known before a page shows the snapshot.
      confirm(response)
      // The hub may have read the snapshot before an action or an event that it does not contain.
      snapshot.set(unconfirmed.reduce((current, apply) => apply(current), read))
    }
    if (response.ok || response.status === 304) {
      if (!response.ok) confirm(response)
      // Queries that failed while the hub was unavailable are refetched now, even after a 304.
      const wasUnavailable = UNAVAILABLE.includes(connection.get())
      connection.set(isListening() ? 'live' : 'polling')
      if (response.ok || wasUnavailable) notifyListeners('snapshot')
      if (!isListening()) notifyListeners('requests')
      for (const listener of responseListeners) listener()
    } else connection.set(response.status === 429 ? 'rate_limited' : 'failing')
  } catch {
    connection.set('offline')
  }
}

let events: EventSource | null = null
/** The value of `Date.now()` at the last event. */
let eventAt = 0
/** The hub sends a heartbeat every 15 s. A proxy may hold events back although the stream is open. */
const MAX_SILENCE_MS = 20_000
const isListening = () =>
  events !== null && events.readyState === EventSource.OPEN && Date.now() - eventAt < MAX_SILENCE_MS

const scheduleListeners = new Set<(schedule: Schedule) => void>()

/** Calls `listener` with the schedule of an action or event. */
export function onSchedule(listener: (schedule: Schedule) => void): void {
  scheduleListeners.add(listener)
}

/** Shows the schedule that an action or event has returned, in the snapshot and in the queries of the schedule. */
export function showSchedule(schedule: Schedule): void {
  const { paused: schedule_paused, next_run_at } = schedule
  change(({ pull, ...rest }) => ({ ...rest, pull: { ...pull, schedule_paused, next_run_at } }))
  for (const listener of scheduleListeners) listener(schedule)
}

/** What the page does with the content of each event. None causes a request for the snapshot. */
const EVENT_HANDLERS: {
  [Name in DashboardEventName]: (content: DashboardEvents[Name]) => void
} = {
  'pull.progress': ({ pull }) => change((current) => withPullEvent(current, pull)),
  'pull.ended': ({ pull }) => change((current) => withPullEvent(current, pull)),
  'schedule.changed': ({ schedule }) => showSchedule(schedule),
  'platform.health': ({ platforms }) => {
    const changed = new Map(platforms.map(({ id, health }) => [id, health]))
    change((current) => ({
      ...current,
      platforms: current.platforms.map((one) => ({
        ...one,
        health: changed.get(one.id) ?? one.health,
      })),
    }))
  },
  changed: () => notifyListeners('event'),
  'requests.logged': () => notifyListeners('requests'),
  heartbeat: () => undefined,
}

/** Asks whether the hub responds again, without a poll, which must not be earlier. If so, the page reads its data again. */
export async function retryNow(): Promise<void> {
  if (!(await isHubReachable()) || connection.get() !== 'offline') return
  connection.set('connecting')
  notifyListeners('event')
}

/** Opens or closes the event stream. If the stream breaks, polling continues. */
function updateEventStream(): void {
  const isNeeded =
    snapshot.get()?.broadcasting === true && !document.hidden && !session.get().hasEnded
  if (isNeeded && (events === null || events.readyState === EventSource.CLOSED)) {
    events = new EventSource('/dashboard/events')
    events.onerror = () => connection.get() === 'live' && connection.set('polling')
    for (const [name, handle] of Object.entries(EVENT_HANDLERS)) {
      events.addEventListener(name, ({ data }) => {
        eventAt = Date.now()
        // The error of the last poll stays visible until the next one.
        if (!UNAVAILABLE.includes(connection.get())) connection.set('live')
        handle(JSON.parse(data))
      })
    }
  } else if (!isNeeded) {
    events?.close()
    events = null
  }
}

let scheduler: ReturnType<typeof createPollScheduler> | null = null

// The stream belongs to the session of the previous operator. The snapshot is the same for all of them.
replacements.subscribe(() => {
  events?.close()
  events = null
  updateEventStream()
})

/** Starts polling; once per page load. */
export function startLive(): void {
  if (scheduler) return
  scheduler = createPollScheduler({
    intervalMs: POLLING_INTERVAL_SECONDS * 1000,
    poll: (responded) => pollSnapshot(responded).then(updateEventStream),
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
