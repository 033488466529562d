/** One pull, followed while it runs. */
import type { Pull, PullTask } from '@recordhub/protocol'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { callHub } from '../../api/call-hub.ts'
import { writeUrlState } from '../../lib/url-state.ts'

export type PullAnswer = { pull: Pull; tasks: PullTask[]; next_cursor: string | null }

export type TaskPage = { cursor: string; state?: string; limit: number }

const FOLLOW_MS = 1500

/**
 * Asks for a pull and a page of its tasks; while it runs and the page is seen, again and again. Once it has
 * ended, all that shows the hub's state asks anew.
 */
export function usePull(id: number | null, { cursor, state = '', limit }: TaskPage) {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: ['pull', id, cursor, state, limit],
    queryFn: ({ signal }) => {
      const page = writeUrlState({ cursor, state, limit: String(limit) })
      return callHub<PullAnswer>(`/api/v1/pulls/${id}${page}`, { signal })
    },
    enabled: id !== null,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pull.finished_at === null ? FOLLOW_MS : false),
  })
  const isRunning = query.data?.pull.id === id && query.data?.pull.finished_at === null
  useEffect(() => {
    if (!isRunning) return
    return () => void client.invalidateQueries({ predicate: ({ meta }) => meta?.live === true })
  }, [isRunning, client])
  const isOther = query.data !== undefined && query.data.pull.id !== id
  return { ...query, data: isOther ? undefined : query.data, isRunning }
}
