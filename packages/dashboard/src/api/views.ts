import type { SavedView } from '@recordhub/protocol'
import { queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'

/** The saved views of the operator, and those shared by others. */
export function viewsQuery() {
  return queryOptions({
    queryKey: ['views'],
    queryFn: ({ signal }) => callHub<{ views: SavedView[] }>('/api/v1/views', { signal }),
  })
}
