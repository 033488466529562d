import {
  CHANGE_REASONS,
  type ChangeReason,
  type DashboardEventName,
  type DashboardEvents,
  type PlatformHealth,
  type Schedule,
  type SnapshotPull,
} from '@recordhub/protocol'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/** An event of `/dashboard/events` with its content. */
export type HubEvent = {
  [Name in DashboardEventName]: { name: Name; content: DashboardEvents[Name] }
}[DashboardEventName]

/** Rejections, alerts, reviews and the ends of pulls are `activity`. An accepted push changes no health for the worse. */
const OF_HEALTH: readonly ChangeReason[] = ['activity', 'platforms']

/** Sending to a subscriber takes up to a tenth of a millisecond, and pushes do not wait for all of them. */
const SENT_AT_ONCE = 8

type Subscriber = {
  onEvents: (events: readonly HubEvent[]) => void
  /** Called when the hub stops: no more events follow. */
  onEnd: () => void
}

/** Broadcasts what has changed, in this process or in another one. */
export type Broadcaster = {
  /** The first events are the state of the pull and a heartbeat. Returns a function that ends the subscription. */
  subscribe: (subscriber: Subscriber) => () => void
  stop: () => void
}

/**
 * Broadcasts the first change immediately, and later ones together, once per `pauseMs`: at most one event of a kind.
 * The processes tell each other only what has changed. Each one reads the content from the database, if it has
 * subscribers.
 */
export function createBroadcaster(
  deps: Pick<FeatureDeps, 'broadcast'> & {
    readPull: () => Promise<SnapshotPull>
    readSchedule: () => Promise<Schedule>
    readHealth: () => Promise<DashboardEvents['platform.health']['platforms']>
    pauseMs: number
    /** Resolves with false when the signal aborts first. */
    sleep: (milliseconds: number, signal: AbortSignal) => Promise<boolean>
    onError: (error: unknown) => void
  },
): Broadcaster {
  const { broadcast } = deps
  const subscribers = new Set<Subscriber>()
  /** Those that have not received the first events. */
  const newSubscribers = new Set<Subscriber>()
  const local = new Set<ChangeReason>()
  const remote = new Set<ChangeReason>()
  const stopping = new AbortController()
  const { signal } = stopping
  /** The last pull that has ended; undefined before the first read. */
  let endedPull: number | null | undefined
  /** The health of each platform that the subscribers know, as JSON, by its id. */
  const knownHealth = new Map<number, string>()
  let isSending = false

  const isPending = () => local.size + remote.size + newSubscribers.size > 0

  /** Sends until nothing is left. */
  async function start(): Promise<void> {
    if (isSending) return
    isSending = true
    // The first pause collects all reasons of one commit.
    for (let pause = 0; (await deps.sleep(pause, signal)) && isPending(); pause = deps.pauseMs) {
      await send().catch((error: unknown) => signal.aborted || deps.onError(error))
    }
    isSending = false
  }

  async function send(): Promise<void> {
    const reasons = CHANGE_REASONS.filter((reason) => local.has(reason) || remote.has(reason))
    // Remote changes are not published again.
    if (local.size > 0) void broadcast.publish([...local].join(','))
    local.clear()
    remote.clear()
    const starting = new Set(newSubscribers)
    newSubscribers.clear()
    const isHealthRead =
      subscribers.size > 0 && reasons.some((reason) => OF_HEALTH.includes(reason))
    // What is not read may change the health, as accepted pushes do: the next event has all platforms again.
    const changed = reasons.filter((reason) => reason !== 'requests')
    if (!isHealthRead && changed.length > 0) knownHealth.clear()
    if (subscribers.size === 0) return
    const isPullNeeded = reasons.includes('pull') || starting.size > 0
    const pull = isPullNeeded ? await deps.readPull() : null
    const schedule = reasons.includes('schedule') ? await deps.readSchedule() : null
    const ofPull = pull ? pullEvents(pull) : []
    const others: HubEvent[] = []
    if (schedule) others.push({ name: 'schedule.changed', content: { schedule } })
    if (isHealthRead) {
      const platforms = (await deps.readHealth()).filter(hasChanged)
      if (platforms.length > 0) others.push({ name: 'platform.health', content: { platforms } })
    }
    if (changed.length > 0) others.push({ name: 'changed', content: { reasons: changed } })
    if (reasons.includes('requests')) others.push({ name: 'requests.logged', content: {} })
    let sent = 0
    for (const subscriber of [...subscribers]) {
      if (!subscribers.has(subscriber)) continue
      const first = pull && starting.has(subscriber) ? stateEvents(pull) : ofPull
      subscriber.onEvents([...first, ...others])
      sent += 1
      if (sent % SENT_AT_ONCE === 0) await yieldToEventLoop()
    }
  }

  /** Whether the health differs from that of the last call. */
  function hasChanged({ id, health }: { id: number; health: PlatformHealth }): boolean {
    const text = JSON.stringify(health)
    if (knownHealth.get(id) === text) return false
    knownHealth.set(id, text)
    return true
  }

  /** What has happened since the last call. */
  function pullEvents(pull: SnapshotPull): HubEvent[] {
    const lastId = pull.last?.id ?? null
    const hasEnded = endedPull !== undefined && lastId !== null && lastId !== endedPull
    endedPull = lastId
    return [
      ...(hasEnded ? [{ name: 'pull.ended', content: { pull } } as const] : []),
      ...(pull.running ? [{ name: 'pull.progress', content: { pull } } as const] : []),
    ]
  }

  broadcast.onCommit((reason) => {
    local.add(reason)
    void start()
  })
  broadcast.subscribe((message) => {
    const reasons = message.split(',')
    for (const reason of CHANGE_REASONS) if (reasons.includes(reason)) remote.add(reason)
    if (remote.size > 0) void start()
  })

  return {
    subscribe(subscriber) {
      if (signal.aborted) subscriber.onEnd()
      else {
        subscribers.add(subscriber)
        newSubscribers.add(subscriber)
        void start()
      }
      return () => {
        subscribers.delete(subscriber)
        newSubscribers.delete(subscriber)
      }
    },
    stop() {
      stopping.abort()
      for (const subscriber of subscribers) subscriber.onEnd()
      subscribers.clear()
    },
  }
}

/** The first events of a stream: the state of the pull, and a heartbeat which shows that events arrive. */
function stateEvents(pull: SnapshotPull): HubEvent[] {
  const name = pull.running ? 'pull.progress' : 'pull.ended'
  return [
    ...(pull.running || pull.last ? [{ name, content: { pull } } as const] : []),
    { name: 'heartbeat', content: {} },
  ]
}
