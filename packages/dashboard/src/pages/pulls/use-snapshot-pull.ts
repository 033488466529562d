/** In its own file, without the queries of pulls, because every page loads it. */
import { snapshot, snapshotAge } from '../../api/live.ts'
import { useStore } from '../../lib/store.ts'
import { useNow } from '../../lib/use-now.ts'
import { interpolatePull, interpolateTask } from './interpolate.ts'

/** The running pull of the snapshot, or the last one, with some of its modules; `pull` is null if there is none. */
export function useSnapshotPull() {
  const current = useStore(snapshot)
  const shown = current?.pull.pull ?? current?.pull.last ?? null
  const age = snapshotAge(useNow(shown?.finished_at === null))
  const readAt = Date.parse(current?.generated_at ?? '')
  return {
    isKnown: current !== null,
    pull: shown && interpolatePull(shown, age),
    tasks: (current?.pull.tasks ?? []).map((task) => interpolateTask(task, readAt, age)),
    /** On the hub's clock. */
    now: readAt + age,
  }
}
