import { QueryClient } from '@tanstack/react-query'
import { HubCallError } from './call-hub.ts'
import { onChange } from './live.ts'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Is asked for again when something may have changed on the hub. */
      live?: boolean
    }
  }
}

const REFRESH_MS = 2000
const MOST_TRIES = 3

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5000,
        refetchOnWindowFocus: false,
        // The operator decides about what the hub refused; what it could not answer may work in a moment.
        retry: (failures, error) =>
          failures < MOST_TRIES &&
          error instanceof HubCallError &&
          (error.status === 0 || error.status === 503),
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
