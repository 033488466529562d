import type { AlertPage } from '@recordhub/protocol'
import type { UrlChanges } from '../lib/url-state.ts'
import { getQuery } from './get-query.ts'

export function alertPageQuery(query: UrlChanges) {
  return getQuery<AlertPage>('GET /api/v1/alerts', { query, live: 'counted', keepsPrevious: true })
}
