import type { PushErrorPage } from '@recordhub/protocol'
import type { UrlChanges } from '../lib/url-state.ts'
import { getQuery } from './get-query.ts'

export function pushErrorPageQuery(query: UrlChanges) {
  return getQuery<PushErrorPage>('GET /api/v1/push-errors', {
    ...{ query, live: true, keepsPrevious: true },
  })
}
