/** Better Auth, loaded with the first call; with single sign-on, it also connects to the provider. */
import { isIssuer, readIssuer } from '../../domain/auth/single-sign-on.ts'
import { HubError } from '../../errors.ts'
import { memoizeAsync } from '../../lib/concurrency/memoize-async.ts'
import { toSingleLine } from '../../lib/text/code-points.ts'
import type { BetterAuth, BetterAuthDeps } from './better-auth.ts'
import { OIDC } from './better-auth-names.ts'
import type { OidcSettings } from './better-auth-plugins.ts'

const RETRY_SECONDS = 5
const MAX_ISSUER_LENGTH = 200

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

/**
 * Connects to the provider of single sign-on: reads its discovery document and checks the issuer. The first attempt
 * starts at once, so that the log shows an error when the hub starts. After a failure, a sign-in starts another attempt,
 * at most every few seconds.
 * @returns a function that throws HubError `sign_on_unavailable` or `sign_on_issuer_wrong`
 */
export function createSsoProvider(
  deps: BetterAuthDeps & { oidc: OidcSettings },
): () => Promise<BetterAuth> {
  const { oidc, clock, log } = deps
  const { issuer: expected } = readIssuer(oidc.issuer)
  const now = () => clock.now().getTime()

  async function connect(): Promise<BetterAuth> {
    const betterAuth = createLazyBetterAuth(deps)
    const { socialProviders } = await betterAuth.context()
    // Better Auth checks tokens against this issuer, but not the issuer against the configured one.
    const provider = socialProviders.find(({ id }) => id === OIDC)
    const retry = { retryAfterSeconds: RETRY_SECONDS }
    if (!provider) throw new HubError('sign_on_unavailable', {}, retry)
    const { issuer } = provider
    if (isIssuer(expected, issuer)) return betterAuth
    const found = toSingleLine(String(issuer), MAX_ISSUER_LENGTH)
    const error = new HubError('sign_on_issuer_wrong', { expected, found }, retry)
    log.warn(error.message)
    throw error
  }

  function startAttempt() {
    const attempt: { betterAuth: Promise<BetterAuth>; failedAt: number | null } = {
      betterAuth: connect(),
      failedAt: null,
    }
    attempt.betterAuth.catch(() => {
      attempt.failedAt = now()
    })
    return attempt
  }

  let latest = startAttempt()
  return () => {
    const { failedAt } = latest
    if (failedAt !== null && Math.abs(now() - failedAt) >= RETRY_SECONDS * 1000) {
      latest = startAttempt()
    }
    return latest.betterAuth
  }
}
