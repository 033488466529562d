/** The request log: a page of it, to which new requests are added while the page follows. */
import type { LoggedRequestCounts, LoggedRequestPage } from '@recordhub/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { formatNumber } from '../lib/format.ts'
import type { UrlChanges } from '../lib/url-state.ts'
import { callHub } from './call-hub.ts'
import { addressOf, getQuery } from './get-query.ts'

const REQUESTS = 'GET /api/v1/requests'
const PAGE = 50
/** Requests on one page, to which new ones are added at the top. */
const MAX_SHOWN = 500

/** A page of the log. Once loaded, the first page only reads the requests that were logged since. */
export function requestsQuery(
  filter: UrlChanges,
  cursor: string | undefined,
  isFollowing: boolean,
) {
  const queryKey = [REQUESTS, filter, cursor]
  return queryOptions({
    queryKey,
    async queryFn({ client, signal }) {
      const read = (query: UrlChanges) =>
        callHub<LoggedRequestPage>(addressOf(REQUESTS, {}, { ...filter, ...query }), { signal })
      const shown = cursor ? undefined : client.getQueryData<LoggedRequestPage>(queryKey)
      if (!shown) return read({ cursor, limit: String(PAGE) })
      const fresh = await read({ after: shown.newest_cursor, limit: String(MAX_SHOWN) })
      if (fresh.requests.length === MAX_SHOWN) return read({ limit: String(PAGE) })
      return withNewer(shown, fresh)
    },
    placeholderData: keepPreviousData,
    ...(isFollowing ? { meta: { live: 'requests' } } : {}),
  })
}

/** The numbers of requests by class of status, whatever status the filter has. The hub reads the whole log to count. */
export function requestCountsQuery(filter: UrlChanges) {
  const options = { query: { ...filter, status: null }, keepsPrevious: true }
  return getQuery<LoggedRequestCounts>(`${REQUESTS}/counts`, options)
}

/** The number of a class, with `+` if the hub has not counted all. */
export function countLabel(data: LoggedRequestCounts, name: keyof LoggedRequestCounts['counts']) {
  return `${formatNumber(data.counts[name])}${data.complete ? '' : '+'}`
}

/** @param fresh the requests since the page, oldest first. */
function withNewer(page: LoggedRequestPage, fresh: LoggedRequestPage): LoggedRequestPage {
  const all = [...fresh.requests.toReversed(), ...page.requests]
  const requests = all.slice(0, MAX_SHOWN)
  const next_cursor = all.length > requests.length ? String(requests.at(-1)?.id) : page.next_cursor
  return { ...page, requests, next_cursor, newest_cursor: fresh.newest_cursor }
}
