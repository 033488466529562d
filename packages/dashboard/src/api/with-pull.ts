import type { Pull, Snapshot } from '@recordhub/protocol'

/**
 * A snapshot that shows a pull as an operator's action has returned it: the snapshot of the hub that contains the pull
 * follows within the polling interval.
 */
export function withPull(snapshot: Snapshot, pull: Pull): Snapshot {
  const { pull: shown } = snapshot
  const tasks = (shown.pull ?? shown.last)?.id === pull.id ? shown.tasks : []
  if (pull.finished_at === null) {
    return { ...snapshot, pull: { ...shown, running: true, pull, tasks } }
  }
  return { ...snapshot, pull: { ...shown, running: false, pull: null, last: pull, tasks } }
}
