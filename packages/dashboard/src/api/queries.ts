import { QueryClient } from '@tanstack/react-query'
import { onChange } from './live.ts'
import { mayTryAgain, pauseBeforeTry } from './retries.ts'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Is asked for again when something may have changed on the hub. */
      live?: boolean
    }
  }
}

const REFRESH_MS = 2000

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
  let isPlanned = false
  onChange(() => {
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => {
      isPlanned = false
      void client.invalidateQueries({ predicate: ({ meta }) => meta?.live === true })
    }, REFRESH_MS)
  })
  return client
}
