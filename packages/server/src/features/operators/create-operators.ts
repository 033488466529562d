/** Managing operators, invitations and API tokens. */

import type { FastifyPluginAsync } from 'fastify'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Storage } from '../../storage/port/storage.ts'
import type { BetterAuth } from '../auth/better-auth.ts'
import type { ConfirmAction } from '../auth/reauthenticate.ts'
import type { CallerOf, RequesterOf } from '../auth/requester.ts'
import { invitationRoutes } from './invitation-routes.ts'
import type { SendMail } from './invite-operator.ts'
import { operatorRoutes } from './operator-routes.ts'
import { tokenRoutes } from './token-routes.ts'

export function createOperators(deps: {
  storage: Storage
  betterAuth: BetterAuth
  clock: Clock
  publicUrl: string
  sendMail: SendMail | null
  confirmAction: ConfirmAction
  callerOf: CallerOf
  requesterOf: RequesterOf
}) {
  const routeDeps = { ...deps.storage, ...deps }
  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, operatorRoutes(routeDeps))
    await registerRoutes(app, invitationRoutes(routeDeps))
    await registerRoutes(app, tokenRoutes(routeDeps))
  }
  return { routes }
}
