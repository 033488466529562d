import { useInfiniteQuery } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'

/** A list that is asked for page by page: all that was asked for so far, and a way to the next page. */
export function usePages<Row>(
  key: readonly string[],
  path: string,
  /** The member of the answer that holds the rows. */
  member: string,
) {
  const query = useInfiniteQuery({
    queryKey: [...key, path],
    queryFn: async ({ pageParam, signal }) => {
      const [base, text] = path.split('?')
      const parameters = new URLSearchParams(text)
      if (pageParam !== '') parameters.set('cursor', pageParam)
      const answer = await callHub<{ next_cursor: string | null } & Record<string, Row[]>>(
        `${base}?${parameters}`,
        { signal },
      )
      return { rows: answer[member] ?? [], next: answer.next_cursor }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    meta: { live: true },
  })
  return { ...query, rows: query.data?.pages.flatMap((page) => page.rows) ?? [] }
}
