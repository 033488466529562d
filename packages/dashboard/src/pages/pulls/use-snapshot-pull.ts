/** In its own file, without the queries of pulls, because every page loads it. */
import type { Pull, PullTask } from '@recordhub/protocol'
import { connection, snapshot, stateTime } from '../../api/live.ts'
import { newestPull, newestTask, shownPull } from '../../api/newest-pull.ts'
import { useStore } from '../../lib/store.ts'
import { useNow } from '../../lib/use-now.ts'

/** The running pull of the snapshot, or the last one, with some of its modules; `pull` is null if there is none. */
export function useSnapshotPull() {
  const current = useStore(snapshot)
  useStore(connection)
  const pull = current && shownPull(current.pull)
  return {
    isKnown: current !== null,
    pull,
    tasks: current?.pull.tasks ?? [],
    /** The time of the shown state, on the hub's clock. */
    now: stateTime(useNow(pull?.finished_at === null)),
  }
}

/** Functions that replace a pull or task of a request by a later state in the snapshot, so that one page has one number. */
export function useNewest() {
  const { pull: live, tasks, now } = useSnapshotPull()
  return {
    now,
    newest: (pull: Pull): Pull => (live?.id === pull.id ? newestPull(live, pull) : pull),
    newestTaskOf(pull: Pull, task: PullTask): PullTask {
      const other = tasks.find(
        ({ platform_name, record_type }) =>
          platform_name === task.platform_name && record_type === task.record_type,
      )
      return live?.id === pull.id && other ? newestTask(other, task) : task
    },
  }
}
