/**
 * The same pull arrives by the snapshot, by events and by the requests of a page, in any order. It only progresses, so
 * that its own numbers tell which of two states is later.
 */
import type { Pull, PullTask, Snapshot, SnapshotPull } from '@recordhub/protocol'

/** The later one of two states of a pull, or of two pulls; `one` if nothing has progressed. */
export function newestPull(one: Pull, other: Pull): Pull {
  return isBefore(positionOf(one), positionOf(other)) ? other : one
}

/** The later one of two states of a task. */
export function newestTask(one: PullTask, other: PullTask): PullTask {
  const [first, second] = [one, other].map((task) => [...stepsOf(task), task.received])
  return isBefore(first ?? [], second ?? []) ? other : one
}

/** The snapshot with the content of an event, unless the snapshot has a later state. */
export function withPullEvent(snapshot: Snapshot, pull: SnapshotPull): Snapshot {
  const { last } = pull
  const shown = shownPull(snapshot.pull)
  const next = shownPull(pull)
  if (shown && (!next || isBefore(positionOf(next), positionOf(shown)))) return snapshot
  const latest_sync = last && { ...last, pull_id: last.id }
  return { ...snapshot, latest_sync, pull }
}

/** The snapshot with a pull that an action has returned, until the next snapshot of the hub contains it. */
export function withPull(snapshot: Snapshot, pull: Pull): Snapshot {
  const { pull: before } = snapshot
  const shown = shownPull(before)
  if (shown && isBefore(positionOf(pull), positionOf(shown))) return snapshot
  const tasks = shown?.id === pull.id ? before.tasks : []
  if (pull.finished_at === null) {
    return { ...snapshot, pull: { ...before, running: true, pull, tasks } }
  }
  return { ...snapshot, pull: { ...before, running: false, pull: null, last: pull, tasks } }
}

/** The running pull, or the last one. */
export function shownPull({ pull, last }: SnapshotPull): Pull | null {
  return pull ?? last
}

function positionOf(pull: Pull): number[] {
  return [pull.id, ...stepsOf(pull), pull.progress.tasks_done, pull.progress.records_received]
}

function stepsOf({ started_at, finished_at }: Pull | PullTask): number[] {
  return [Number(finished_at !== null), Number(started_at !== null)]
}

/** Compares the first elements that differ. */
function isBefore(one: number[], other: number[]): boolean {
  const index = one.findIndex((value, at) => value !== other[at])
  return (one[index] ?? 0) < (other[index] ?? 0)
}
