import { isIssuer, readIssuer } from '../../domain/auth/issuer.ts'
import { HubError } from '../../errors.ts'
import { toSingleLine } from '../../lib/text/single-line.ts'
import { type Auth, type AuthSettings, createAuth } from './auth.ts'
import { OIDC, type OidcSettings } from './auth-plugins.ts'

const RETRY_SECONDS = 5
const ISSUER_LENGTH = 200

/**
 * Gives what speaks with the provider of single sign-on, once its description is there and is that of the
 * issuer that is set. It is asked for at once, so that the log tells what is wrong when the hub starts;
 * after a failure again, but every few seconds at most, whoever clicks.
 * @returns a function that throws HubError `sign_on_unavailable` or `sign_on_issuer_wrong`
 */
export function createProviderReach(
  settings: AuthSettings & { oidc: OidcSettings },
): () => Promise<Auth> {
  const { oidc, clock, complain } = settings
  const { issuer: expected } = readIssuer(oidc.issuer)
  const now = () => clock.now().getTime()

  async function askProvider(): Promise<Auth> {
    const auth = createAuth(settings)
    const { socialProviders } = await auth.$context
    // What Better Auth holds tokens against, so it is what is judged: it does not do that itself.
    const provider = socialProviders.find(({ id }) => id === OIDC)
    const retry = { retryAfterSeconds: RETRY_SECONDS }
    if (!provider) throw new HubError('sign_on_unavailable', {}, retry)
    const { issuer: named } = provider
    if (isIssuer(expected, named)) return auth
    const found = toSingleLine(String(named), ISSUER_LENGTH)
    const error = new HubError('sign_on_issuer_wrong', { expected, found }, retry)
    complain(error.message, [])
    throw error
  }

  function ask() {
    const asking: { auth: Promise<Auth>; failedAt: number | null } = {
      auth: askProvider(),
      failedAt: null,
    }
    asking.auth.catch(() => {
      asking.failedAt = now()
    })
    return asking
  }

  let asked = ask()
  return () => {
    const { failedAt } = asked
    if (failedAt !== null && Math.abs(now() - failedAt) >= RETRY_SECONDS * 1000) asked = ask()
    return asked.auth
  }
}
