import type { AlertEvent } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import { sleep } from '../../lib/time/run-periodically.ts'
import type { FeatureDeps } from '../feature-deps.ts'

type EventPage = { events: AlertEvent[]; through: number; has_more: boolean }

/** @throws HubError `cursor_beyond`. */
export async function readAlertEvents(
  { alertEvents }: Pick<FeatureDeps, 'alertEvents'>,
  after: number,
  limit: number,
): Promise<EventPage> {
  const page = await alertEvents.listAlertEvents({ after, limit })
  if (page.outcome === 'beyond') throw new HubError('cursor_beyond')
  const events = page.events.map(({ alert_event_id, ...event }) => ({
    cursor: String(alert_event_id),
    ...event,
  }))
  return { events, through: page.through, has_more: events.length === limit }
}

/** Waits for the next event. */
export type AlertEventSignal = {
  /** Resolves when an event after `after` may exist, or when the signal aborts. */
  wait: (after: number, signal: AbortSignal) => Promise<void>
}

/**
 * Polls the database, so that events of every process on it are found. One query per interval serves all requests that
 * wait; without any, there is none.
 * @param deps.stopping ends all waits.
 */
export function createAlertEventSignal(
  deps: Pick<FeatureDeps, 'alertEvents'> & { intervalMs: number; stopping: AbortSignal },
): AlertEventSignal {
  const { alertEvents, intervalMs, stopping } = deps
  const waiting = new Set<{ after: number; wake: () => void }>()
  let isPolling = false

  async function poll(): Promise<void> {
    isPolling = true
    while (waiting.size > 0 && (await sleep(intervalMs, stopping))) {
      // While the database is unavailable, requests continue to wait.
      const last = await alertEvents.readLastAlertEventId().catch(() => null)
      if (last === null) continue
      for (const one of waiting) if (last > one.after) one.wake()
    }
    isPolling = false
  }

  return {
    async wait(after, signal) {
      const ended = AbortSignal.any([signal, stopping])
      if (ended.aborted) return
      await new Promise<void>((resolve) => {
        const entry = {
          after,
          wake() {
            waiting.delete(entry)
            ended.removeEventListener('abort', entry.wake)
            resolve()
          },
        }
        waiting.add(entry)
        ended.addEventListener('abort', entry.wake)
        if (!isPolling) void poll()
      })
    },
  }
}
