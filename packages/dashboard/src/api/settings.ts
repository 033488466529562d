/** Queries of the settings page: about, single sign-on, API tokens, audit log. */
import type { About, ApiToken, AuditEntry, SingleSignOn } from '@recordhub/protocol'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { getQuery } from './get-query.ts'

export const aboutQuery = () => getQuery<{ about: About }>('GET /api/v1/about', { live: true })
export const singleSignOnQuery = () =>
  getQuery<{ single_sign_on: SingleSignOn }>('GET /api/v1/single-sign-on')
export const tokensQuery = () => getQuery<{ tokens: ApiToken[] }>('GET /api/v1/tokens')

type AuditPage = { audit: AuditEntry[]; next_cursor: string | null }

/** The audit log, page by page. */
export function auditQuery(filters: Record<string, string>) {
  return infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ signal, pageParam }) => {
      const query = new URLSearchParams({ limit: '50', ...filters })
      if (pageParam !== '') query.set('cursor', pageParam)
      return callHub<AuditPage>(`/api/v1/audit?${query}`, { signal })
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}
