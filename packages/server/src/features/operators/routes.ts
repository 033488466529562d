import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { accountRoutes } from '../auth/account-routes.ts'
import type { Auth } from '../auth/auth.ts'
import type { OidcSettings } from '../auth/auth-plugins.ts'
import type { LoginThrottle } from '../auth/login-throttle.ts'
import { passkeyRoutes } from '../auth/passkey-routes.ts'
import type { CallerOf, RequesterOf } from '../auth/requester.ts'
import { secondFactorRoutes } from '../auth/second-factor-routes.ts'
import type { SecondFactorRule } from '../auth/second-factor-rule.ts'
import { sessionRoutes } from '../auth/session-routes.ts'
import { signInRoutes } from '../auth/sign-in-routes.ts'
import { singleSignOnRoutes } from '../auth/sso-routes.ts'
import type { TrustedDevices } from '../auth/trusted-device.ts'
import { invitationRoutes } from './invitation-routes.ts'
import type { SendMail } from './invite-operator.ts'
import { operatorManagementRoutes } from './operator-routes.ts'
import { tokenRoutes } from './token-routes.ts'

export type OperatorParts = {
  auth: Auth
  reachProvider: (() => Promise<Auth>) | null
  oidc: OidcSettings | null
  secrets: SecretBox
  clock: Clock
  publicUrl: string
  sendMail: SendMail | null
  limits: LoginThrottle
  rule: SecondFactorRule
  devices: TrustedDevices
  callerOf: CallerOf
  requesterOf: RequesterOf
  csrfTokenOf: (sessionId: string) => string
} & Pick<Storage, 'operators' | 'invitations' | 'activity' | 'leases' | 'processName'>

/** Everything about who may work with the hub: signing in, one's account, operators and tokens. */
export function operatorRoutes(parts: OperatorParts): FastifyPluginAsyncTypebox {
  return async (app) => {
    await app.register(signInRoutes(parts))
    await app.register(sessionRoutes(parts))
    await app.register(accountRoutes(parts))
    await app.register(secondFactorRoutes(parts))
    await app.register(passkeyRoutes(parts))
    await app.register(operatorManagementRoutes(parts))
    await app.register(invitationRoutes(parts))
    await app.register(tokenRoutes(parts))
    await app.register(singleSignOnRoutes(parts))
  }
}
