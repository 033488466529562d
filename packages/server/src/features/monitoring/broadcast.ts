import type { ChangeReason } from '@recordhub/protocol'
import type { News } from '../../storage/port/news.ts'

/** Somebody who is told that something has changed. */
type Listener = {
  tell: (reasons: readonly ChangeReason[]) => void
  /** There will be no more. */
  end: () => void
}

/** Tells of changes, of this process and of the others on its database, in words that carry no data. */
export type Broadcaster = {
  /** Costs next to nothing: pushes come this way. */
  note: (reason: ChangeReason) => void
  /** The answer ends that. */
  subscribe: (listener: Listener) => () => void
  stop: () => void
}

const REASONS: readonly ChangeReason[] = ['records', 'pull', 'activity', 'platforms']

/** The first change after a while is told at once, those that follow once in `pauseMs`, together. */
export function createBroadcaster(news: News, pauseMs: number): Broadcaster {
  const listeners = new Set<Listener>()
  const ours = new Set<ChangeReason>()
  const heard = new Set<ChangeReason>()
  let timer: NodeJS.Timeout | null = null
  let isStopped = false

  function plan(ms: number): void {
    timer = setTimeout(tellAll, ms)
    timer.unref()
  }

  function add(reasons: Set<ChangeReason>, reason: ChangeReason): void {
    reasons.add(reason)
    if (timer === null && !isStopped) plan(0)
  }

  function tellAll(): void {
    timer = null
    const reasons = REASONS.filter((reason) => ours.has(reason) || heard.has(reason))
    if (reasons.length === 0) return
    if (ours.size > 0) void news.announce([...ours].join(','))
    ours.clear()
    heard.clear()
    plan(pauseMs)
    for (const listener of listeners) listener.tell(reasons)
  }

  news.listen((words) => {
    for (const reason of REASONS) if (words.split(',').includes(reason)) add(heard, reason)
  })

  return {
    note: (reason) => add(ours, reason),
    subscribe(listener) {
      if (isStopped) listener.end()
      else listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
      for (const listener of listeners) listener.end()
      listeners.clear()
    },
  }
}
