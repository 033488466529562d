import type { ChangeReason } from '@recordhub/protocol'
import type { Broadcast } from '../../storage/port/broadcast.ts'

type Subscriber = {
  /** Receives the reasons of one or more changes. */
  onChange: (reasons: readonly ChangeReason[]) => void
  /** Called when the hub stops: no more changes follow. */
  onEnd: () => void
}

/** Broadcasts that something has changed, in this process or in another one, without the data. */
export type Broadcaster = {
  /** Returns a function that ends the subscription. */
  subscribe: (subscriber: Subscriber) => () => void
  stop: () => void
}

const REASONS: readonly ChangeReason[] = ['records', 'pull', 'activity', 'platforms']

/** Broadcasts the first change immediately, and later ones together, once per `pauseMs`. */
export function createBroadcaster(broadcast: Broadcast, pauseMs: number): Broadcaster {
  const subscribers = new Set<Subscriber>()
  const local = new Set<ChangeReason>()
  const remote = new Set<ChangeReason>()
  let timer: NodeJS.Timeout | null = null
  let isStopped = false

  function schedule(ms: number): void {
    timer = setTimeout(flush, ms)
    timer.unref()
  }

  function add(reasons: Set<ChangeReason>, reason: ChangeReason): void {
    reasons.add(reason)
    if (timer === null && !isStopped) schedule(0)
  }

  function flush(): void {
    timer = null
    const reasons = REASONS.filter((reason) => local.has(reason) || remote.has(reason))
    if (reasons.length === 0) return
    // Remote changes are not published again.
    if (local.size > 0) void broadcast.publish([...local].join(','))
    local.clear()
    remote.clear()
    schedule(pauseMs)
    for (const subscriber of subscribers) subscriber.onChange(reasons)
  }

  broadcast.onCommit((reason) => add(local, reason))
  broadcast.subscribe((message) => {
    const reasons = message.split(',')
    for (const reason of REASONS) if (reasons.includes(reason)) add(remote, reason)
  })

  return {
    subscribe(subscriber) {
      if (isStopped) subscriber.onEnd()
      else subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
      for (const subscriber of subscribers) subscriber.onEnd()
      subscribers.clear()
    },
  }
}
