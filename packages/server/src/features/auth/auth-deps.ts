import type { FeatureDeps } from '../feature-deps.ts'
import type { BetterAuth } from './better-auth.ts'
import type { OidcSettings } from './better-auth-plugins.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { SecondFactorPolicy, TrustedDevices } from './second-factor-policy.ts'

/** What `create-auth.ts` passes to the routes of this feature. */
export type AuthDeps = FeatureDeps & {
  betterAuth: BetterAuth
  /** Null without single sign-on, as `oidc`. */
  connectProvider: (() => Promise<BetterAuth>) | null
  oidc: OidcSettings | null
  throttle: LoginThrottle
  devices: TrustedDevices
  secondFactorPolicy: SecondFactorPolicy
}
