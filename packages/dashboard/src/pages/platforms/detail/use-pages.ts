import { useInfiniteQuery } from '@tanstack/react-query'
import type { CursorPagesQuery } from '../../../api/queries.ts'

/** A list that is asked for page by page: all that was asked for so far, and a way to the next page. */
export function usePages<Row>(options: CursorPagesQuery<Row>) {
  const query = useInfiniteQuery(options)
  return { ...query, rows: query.data?.pages.flatMap((page) => page.rows) ?? [] }
}
