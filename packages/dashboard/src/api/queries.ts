/**
 * The query client, and functions shared by the query modules in this folder. Each module defines the queries of one
 * resource. Only these modules define query keys, because a key and the type of its data belong together.
 */
import { POLLING_INTERVAL_SECONDS } from '@recordhub/protocol/constants'
import {
  infiniteQueryOptions,
  QueryClient,
  type QueryMeta,
  useQueryClient,
} from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { onChange, onResponse } from './live.ts'
import { isTemporary, retryDelay, shouldRetry } from './retries.ts'
import { replacements } from './session.ts'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /**
       * Refetched when the hub may have changed: after a new snapshot and on events, at most once per polling interval.
       * `followed`: also within two seconds of each event. `counted`: only after a new snapshot, which counts the same.
       * `requests`: only when the request log has more requests.
       */
      live?: boolean | 'followed' | 'counted' | 'requests'
    }
  }
}

/** The `meta` of a query that shows the state of the hub. */
export const LIVE = { live: true } as const
/** The `meta` of a list whose length the page also shows from the snapshot, so that both are of one moment. */
export const COUNTED = { live: 'counted' } as const

/** Changes within this time cause a single refresh. */
const REFRESH_MS = 2000
const INTERVAL_MS = POLLING_INTERVAL_SECONDS * 1000

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // A browser that reports to be offline may still reach a hub on the same machine.
        networkMode: 'always',
        staleTime: 5000,
        refetchOnWindowFocus: false,
        retry: shouldRetry,
        retryDelay: retryDelay,
      },
    },
  })
  const refresh = (...kinds: QueryMeta['live'][]) =>
    void client.invalidateQueries({
      predicate: ({ meta }) => meta?.live !== undefined && kinds.includes(meta.live),
    })
  const refreshAll = throttle(() => refresh(true, 'followed'), INTERVAL_MS)
  const refreshFollowed = throttle(() => refresh('followed'), REFRESH_MS)
  onChange((source) => {
    // The hub announces requests once per second.
    if (source === 'requests') return refresh('requests')
    refreshAll()
    if (source === 'event') refreshFollowed()
    else refresh('counted')
  })
  replacements.subscribe(() => client.clear())
  // Queries that failed for a temporary reason are refetched, also those that are not live.
  onResponse(() => {
    void client.refetchQueries({
      type: 'active',
      predicate: ({ state }) => state.status === 'error' && isTemporary(state.error),
    })
  })
  return client
}

/** Runs `run` within {@link REFRESH_MS} of a call, and at most once per interval. */
function throttle(run: () => void, intervalMs: number): () => void {
  let ranAt = Number.NEGATIVE_INFINITY
  let isScheduled = false
  return () => {
    if (isScheduled) return
    isScheduled = true
    // All open pages receive an event at once, and must not all read at once.
    const collecting = REFRESH_MS * (0.5 + Math.random() / 2)
    const wait = Math.max(collecting, ranAt + intervalMs - performance.now())
    setTimeout(() => {
      isScheduled = false
      ranAt = performance.now()
      run()
    }, wait)
  }
}

/** Refetches all live queries, after an action that changes several resources. Resolves when the visible ones are fetched. */
export function useRefreshLive(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ predicate: ({ meta }) => meta?.live !== undefined })
}

type Page<Row> = { next_cursor: string | null } & Record<string, Row[]>

/** Reads all pages of a list. @throws HubCallError */
export async function callAllPages<Row>(
  path: string,
  options: { filter?: Record<string, string>; member: string; signal: AbortSignal },
): Promise<Row[]> {
  const { filter = {}, member, signal } = options
  const query = new URLSearchParams(filter)
  const all: Row[] = []
  for (;;) {
    const page = await callHub<Page<Row>>(`${path}?${query}`, { signal })
    all.push(...(page[member] ?? []))
    if (page.next_cursor === null) return all
    query.set('cursor', page.next_cursor)
  }
}

export type CursorPagesQuery<Row> = ReturnType<typeof cursorPagesQuery<Row>>

/** A list that is fetched page by page by cursor. */
export function cursorPagesQuery<Row>(
  queryKey: readonly string[],
  { path, filter = {}, member }: { path: string; filter?: Record<string, string>; member: string },
) {
  return infiniteQueryOptions({
    queryKey: [...queryKey, filter],
    queryFn: async ({ pageParam, signal }) => {
      const query = new URLSearchParams(filter)
      if (pageParam !== '') query.set('cursor', pageParam)
      const page = await callHub<Page<Row>>(`${path}?${query}`, { signal })
      return { rows: page[member] ?? [], next: page.next_cursor }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    meta: LIVE,
  })
}
