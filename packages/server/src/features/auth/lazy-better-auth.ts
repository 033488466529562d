import { memoizeAsync } from '../../lib/concurrency/memoize-async.ts'
import type { BetterAuth, BetterAuthDeps } from './better-auth.ts'

/** Better Auth, loaded with the first call: its packages take much memory, and an idle hub does not need them. */
export function createLazyBetterAuth(deps: BetterAuthDeps): BetterAuth {
  const load = memoizeAsync(async () => {
    const { createBetterAuth } = await import('./better-auth.ts')
    return createBetterAuth(deps)
  })
  return {
    handler: async (request) => (await load()).handler(request),
    getSession: async (headers) => (await load()).getSession(headers),
    context: async () => (await load()).context(),
  }
}
