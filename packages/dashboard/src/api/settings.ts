/** Queries of the settings page: about, single sign-on, API tokens, audit log. */
import type { About, ApiToken, AuditEntry, SingleSignOn } from '@recordhub/protocol'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { LIVE } from './queries.ts'

export function aboutQuery() {
  return queryOptions({
    queryKey: ['about'],
    queryFn: ({ signal }) => callHub<{ about: About }>('/api/v1/about', { signal }),
    meta: LIVE,
  })
}

export function singleSignOnQuery() {
  return queryOptions({
    queryKey: ['single sign-on'],
    queryFn: ({ signal }) =>
      callHub<{ single_sign_on: SingleSignOn }>('/api/v1/single-sign-on', { signal }),
  })
}

export function tokensQuery() {
  return queryOptions({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => callHub<{ tokens: ApiToken[] }>('/api/v1/tokens', { signal }),
  })
}

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
