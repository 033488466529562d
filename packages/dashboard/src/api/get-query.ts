/** Queries from the route of the API that they read. The route is both the address and the key of the query. */
import { keepPreviousData, type QueryFilters, queryOptions } from '@tanstack/react-query'
import { type UrlChanges, writeUrlState } from '../lib/url-state.ts'
import { callHub } from './call-hub.ts'
import { callHubLossless } from './call-hub-lossless.ts'

type Route = `GET /api/v1/${string}`

type GetOptions = {
  /** The values of the parameters in the path, such as `:id`. */
  params?: Readonly<Record<string, string | number>>
  /** The query string, or its parameters: empty and absent values are left out. */
  query?: UrlChanges | string
  /** When the query is read again: see `queryMeta` in queries.ts. */
  live?: true | 'followed' | 'counted'
  /** Shows the previous page until the next one is loaded. */
  keepsPrevious?: boolean
  /** Numbers keep their digits. */
  lossless?: boolean
  /** The data are read again when it changes. */
  version?: string | null
}

/**
 * The query of a route: `useQuery(getQuery<{ platform: Platform }>('GET /api/v1/platforms/:id', { params: { id } }))`.
 * Other options of TanStack Query are spread beside it: `{ ...getQuery(…), enabled }`.
 */
export function getQuery<Response>(route: Route, options: GetOptions = {}) {
  const { params = {}, query = {}, live, keepsPrevious, lossless, version } = options
  const call = lossless ? callHubLossless<Response> : callHub<Response>
  return queryOptions({
    queryKey: [route, params, query, version],
    queryFn: ({ signal }) => call(addressOf(route, params, query), { signal }),
    ...(live === undefined ? {} : { meta: { live } }),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  })
}

/** Matches the queries of all routes that begin with one of these, to read them again after an action. */
export function queriesOf(...routes: Route[]): QueryFilters {
  return {
    predicate: ({ queryKey: [route] }) => routes.some((one) => String(route).startsWith(one)),
  }
}

/** @throws Error if a parameter of the path has no value. */
export function addressOf(
  route: Route,
  params: NonNullable<GetOptions['params']>,
  query: NonNullable<GetOptions['query']>,
): string {
  const path = route.slice('GET '.length).replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${route} has no ${name}`)
    return encodeURIComponent(value)
  })
  return path + (typeof query === 'string' ? `?${query}` : writeUrlState(query))
}
