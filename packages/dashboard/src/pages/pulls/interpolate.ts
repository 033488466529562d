/** Estimates the progress of a running pull between two updates, from its rate and the expected number of records. */
import type { Pull, PullTask } from '@recordhub/protocol'
import { POLLING_INTERVAL_SECONDS } from '@recordhub/protocol/constants'

/** The estimate stops after one polling interval without an update. */
const MAX_MS = POLLING_INTERVAL_SECONDS * 1000

/** The estimated pull `elapsedMs` after it was read. The estimate never finishes a pull. */
export function interpolatePull(pull: Pull, elapsedMs: number): Pull {
  const { progress } = pull
  const { records_per_second: rate, seconds_left: left } = progress
  if (pull.finished_at !== null || rate === null) return pull
  const seconds = secondsOf(elapsedMs)
  const seconds_left = left === null ? null : Math.max(1, Math.ceil(left - seconds))
  const { records_expected: expected, records_done: done, records_received: received } = progress
  if (expected === null || done === null)
    return { ...pull, progress: { ...progress, seconds_left } }
  const added = Math.min(Math.floor(rate * seconds), Math.max(0, expected - done - 1))
  const percent = Math.min(99, Math.floor((100 * (done + added)) / expected))
  return {
    ...pull,
    progress: {
      ...progress,
      records_done: done + added,
      records_received: received + added,
      percent: Math.max(progress.percent ?? 0, percent),
      seconds_left,
    },
  }
}

/** The estimated task `elapsedMs` after it was read at `readAt`, in milliseconds of the hub's clock. */
export function interpolateTask(task: PullTask, readAt: number, elapsedMs: number): PullTask {
  const { received, expected, started_at, finished_at } = task
  if (expected === null || started_at === null || finished_at !== null) return task
  const ranMs = readAt - Date.parse(started_at)
  if (ranMs <= 0) return task
  const added = Math.floor((received / ranMs) * 1000 * secondsOf(elapsedMs))
  return { ...task, received: Math.max(received, Math.min(received + added, expected - 1)) }
}

function secondsOf(elapsedMs: number): number {
  return Math.min(MAX_MS, Math.max(0, elapsedMs)) / 1000
}
