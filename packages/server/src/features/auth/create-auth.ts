/** Sign-in, sessions and the operator's own account. */
import { deriveAuthSecret } from '../../domain/auth/auth-secret.ts'
import type { PasswordCost } from '../../lib/crypto/password-hash.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { accountRoutes } from './account-routes.ts'
import type { OidcSettings } from './better-auth-plugins.ts'
import { createBootstrapOperator, isSetupToken, setupLink } from './create-operator.ts'
import { createFindOperator, findProgram } from './find-caller.ts'
import { createLazyBetterAuth, createSsoProvider } from './lazy-better-auth.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { createConfirmAction } from './reauthenticate.ts'
import { createSecondFactorPolicy, createTrustedDevices } from './second-factor-policy.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { signInRoutes } from './sign-in-routes.ts'
import { singleSignOnRoutes } from './single-sign-on-routes.ts'

export function createAuth(
  deps: FeatureDeps & {
    passwordCost: PasswordCost
    oidc: OidcSettings | null
    /** The first operator of an unattended setup; null for a setup by link. */
    bootstrapOperator: { email: string; name: string; password: string } | null
  },
) {
  const { operators, secrets, oidc, bootstrapOperator } = deps
  const betterAuthDeps = { ...deps, secret: deriveAuthSecret(secrets) }
  const betterAuth = createLazyBetterAuth({ ...betterAuthDeps, oidc: null })
  // A separate instance: a sign-in with a password must not wait for a provider that does not respond.
  const connectProvider = oidc && createSsoProvider({ ...betterAuthDeps, oidc })
  const devices = createTrustedDevices(secrets.deriveKey('trusted devices'), deps.isBehindTls)
  const key = secrets.deriveKey('login throttle')
  const throttle = createLoginThrottle({ ...deps, devices, key })
  const secondFactorPolicy = createSecondFactorPolicy({ ...deps, hasProvider: oidc !== null })
  const services = { betterAuth, connectProvider, throttle, devices, secondFactorPolicy }
  const routeDeps = { ...deps, ...services }
  return {
    betterAuth,
    routes: [
      ...signInRoutes(routeDeps),
      ...singleSignOnRoutes(routeDeps),
      ...sessionRoutes(routeDeps),
      ...accountRoutes(routeDeps),
      ...secondFactorRoutes(routeDeps),
      ...passkeyRoutes(routeDeps),
    ],
    findOperator: createFindOperator(routeDeps),
    findProgram: (token: string) => findProgram(deps, token),
    confirmAction: createConfirmAction(routeDeps),
    assertMayRequireSecondFactor: secondFactorPolicy.assertMayRequire,
    /** Creates the operator of the settings, if any. @throws HubError `invalid_operator` */
    async start(): Promise<void> {
      if (bootstrapOperator) await createBootstrapOperator(routeDeps, bootstrapOperator)
    },
    /** The link that creates the first operator; null if an operator exists. */
    async findSetupLink(site: string): Promise<string | null> {
      return (await operators.hasOperators()) ? null : setupLink(secrets, site)
    },
    /** Whether a token is that of the setup link. */
    isSetupToken: (token: string) => isSetupToken(secrets, token),
    /** Waits for the audit log entries in progress. */
    stop: throttle.waitForPending,
  }
}
