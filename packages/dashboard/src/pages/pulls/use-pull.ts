/** One pull, followed while it runs. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { pullQuery, type TaskPage } from '../../api/pulls.ts'
import { refreshLive } from '../../api/queries.ts'

/**
 * Asks for a pull and a page of its tasks; while it runs and the page is seen, again and again. Once it has
 * ended, all that shows the hub's state asks anew.
 */
export function usePull(id: number | null, page: TaskPage) {
  const client = useQueryClient()
  const query = useQuery(pullQuery(id, page))
  const isRunning = query.data?.pull.id === id && query.data?.pull.finished_at === null
  useEffect(() => {
    if (!isRunning) return
    return () => void refreshLive(client)
  }, [isRunning, client])
  const isOther = query.data !== undefined && query.data.pull.id !== id
  return { ...query, data: isOther ? undefined : query.data, isRunning }
}
