/**
 * The query client, and what the query modules beside it share. Each module holds the queries of one resource.
 * Keys are written in these modules only: a key and the shape of its data belong together.
 */
import { POLLING_INTERVAL_SECONDS } from '@recordhub/protocol/constants'
import { infiniteQueryOptions, QueryClient, useQueryClient } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { onChange, onResponse } from './live.ts'
import { isUnavailable, mayTryAgain, pauseBeforeTry } from './retries.ts'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /**
       * Is asked for again when something may have changed on the hub: with a new snapshot and on events, at most once
       * per polling interval; `followed` also within two seconds of each event.
       */
      live?: boolean | 'followed'
    }
  }
}

/** The `meta` of a query that shows the state of the hub. */
export const LIVE = { live: true } as const
/** The `meta` of a query that shows a running pull. */
export const FOLLOWED = { live: 'followed' } as const

/** Changes within this time are answered by one refresh. */
const REFRESH_MS = 2000
const INTERVAL_MS = POLLING_INTERVAL_SECONDS * 1000

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // A browser that thinks itself offline may reach the hub all the same, as on its own machine.
        networkMode: 'always',
        staleTime: 5000,
        refetchOnWindowFocus: false,
        retry: mayTryAgain,
        retryDelay: pauseBeforeTry,
      },
    },
  })
  const refreshAll = throttle(() => void refreshLive(client), INTERVAL_MS)
  const refreshFollowed = throttle(() => {
    void client.invalidateQueries({ predicate: ({ meta }) => meta?.live === 'followed' })
  }, REFRESH_MS)
  onChange((source) => {
    refreshAll()
    if (source === 'event') refreshFollowed()
  })
  // What could not be read while the hub was unavailable is read again now, whatever page shows it.
  onResponse(() => {
    void client.refetchQueries({
      type: 'active',
      predicate: ({ state }) => state.status === 'error' && isUnavailable(state.error),
    })
  })
  return client
}

/** For a query on a page that does not poll: asks again while the hub is unavailable. */
export function refetchWhileUnavailable({
  state,
}: {
  state: { status: string; error: unknown }
}): number | false {
  const isFailed = state.status === 'error' && isUnavailable(state.error)
  return isFailed ? POLLING_INTERVAL_SECONDS * 1000 : false
}

/** Runs `run` {@link REFRESH_MS} after a call, and at most once per interval. */
function throttle(run: () => void, intervalMs: number): () => void {
  let ranAt = Number.NEGATIVE_INFINITY
  let isPlanned = false
  return () => {
    if (isPlanned) return
    isPlanned = true
    const wait = Math.max(REFRESH_MS, ranAt + intervalMs - performance.now())
    setTimeout(() => {
      isPlanned = false
      ranAt = performance.now()
      run()
    }, wait)
  }
}

/** Reads again all that shows the state of the hub. Resolves once what is on the screen has been read. */
export function refreshLive(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ predicate: ({ meta }) => meta?.live !== undefined })
}

/** As {@link refreshLive}, for components: after an action that changes more than one resource. */
export function useRefreshLive(): () => Promise<void> {
  const client = useQueryClient()
  return () => refreshLive(client)
}

export type CursorPagesQuery<Row> = ReturnType<typeof cursorPagesQuery<Row>>

/** A list that is read page by page: all pages so far, and a cursor to the next one. */
export function cursorPagesQuery<Row>(
  queryKey: readonly string[],
  { path, filter = {}, member }: { path: string; filter?: Record<string, string>; member: string },
) {
  return infiniteQueryOptions({
    queryKey: [...queryKey, filter],
    queryFn: async ({ pageParam, signal }) => {
      const query = new URLSearchParams(filter)
      if (pageParam !== '') query.set('cursor', pageParam)
      const answer = await callHub<{ next_cursor: string | null } & Record<string, Row[]>>(
        `${path}?${query}`,
        { signal },
      )
      return { rows: answer[member] ?? [], next: answer.next_cursor }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    meta: LIVE,
  })
}
