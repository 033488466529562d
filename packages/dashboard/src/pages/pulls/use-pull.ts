import { useQuery } from '@tanstack/react-query'
import { pullQuery, type TaskPage } from '../../api/pulls.ts'
import { interpolatePull, interpolateTask } from './interpolate.ts'
import { useNow } from './use-now.ts'

/** One pull with a page of its modules, as they presumably are now: as they were read, continued at their rate. */
export function usePull(id: number | null, page: TaskPage) {
  const { data: read, error, refetch, dataUpdatedAt } = useQuery(pullQuery(id, page))
  const data = read?.pull.id === id ? read : undefined
  const now = useNow(data?.pull.finished_at === null)
  const age = now - dataUpdatedAt
  return {
    error,
    refetch,
    now,
    data: data && {
      ...data,
      pull: interpolatePull(data.pull, age),
      tasks: data.tasks.map((task) => interpolateTask(task, dataUpdatedAt, age)),
    },
  }
}
