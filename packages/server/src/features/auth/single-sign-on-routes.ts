import { ClosedObject, SingleSignOn } from '@recordhub/protocol'
import { Type } from 'typebox'
import { found, HubError } from '../../errors.ts'
import { route, special } from '../../http/route.ts'
import type { AuthDeps } from './auth-deps.ts'
import { AUTH_PATH, OIDC } from './better-auth-names.ts'
import { forwardToBetterAuth, sendResponse } from './forward-to-better-auth.ts'

const AnyObject = Type.Object({}, { additionalProperties: true })

/** The steps of single sign-on, and its configuration for admins. */
export function singleSignOnRoutes(deps: Pick<AuthDeps, 'publicUrl' | 'connectProvider' | 'oidc'>) {
  const { oidc, publicUrl } = deps
  const single_sign_on: SingleSignOn = {
    configured: oidc !== null,
    name: oidc?.name ?? null,
    issuer: oidc?.issuer ?? null,
    client_id: oidc?.clientId ?? null,
    redirect_uri: publicUrl === '' ? null : `${publicUrl}${AUTH_PATH}/callback/${OIDC}`,
    default_role: oidc?.defaultRole ?? null,
    domains: [...(oidc?.domains ?? [])],
  }

  /** @throws HubError `not_found`, `sign_on_unavailable`, `sign_on_issuer_wrong`. */
  const connectProvider = async () => found('single sign-on', deps.connectProvider)()

  return [
    special('POST /api/auth/sign-in/social', {
      summary: "Start a single sign-on; the response contains the URL of the provider's page",
      body: ClosedObject({
        provider: Type.Literal(OIDC),
        callbackURL: Type.String({ maxLength: 2000, pattern: '^/dashboard([/?].*)?$' }),
      }),
      response: { 200: AnyObject },
      async handle(request, reply) {
        const betterAuth = await connectProvider()
        const body = { ...request.body, errorCallbackURL: '/sign-in', disableRedirect: true }
        const call = { path: 'sign-in/social', body, withSession: false }
        return sendResponse(request, reply, await forwardToBetterAuth(betterAuth, request, call))
      },
    }),

    special(`GET /api/auth/callback/${OIDC}`, {
      summary: 'Complete a single sign-on; the provider redirects the browser here',
      query: AnyObject,
      response: { 200: Type.Null(), 302: Type.Null() },
      async handle(request, reply) {
        const betterAuth = await connectProvider().catch((error: unknown) => {
          if (error instanceof HubError && error.code !== 'not_found') return error
          throw error
        })
        // The browser shows the error on the sign-in page.
        if (betterAuth instanceof HubError) {
          return reply.redirect(`/sign-in?error=${betterAuth.code}`)
        }
        const path = `callback/${OIDC}?${request.url.split('?')[1] ?? ''}`
        const call = { path, method: 'GET', withSession: false } as const
        return sendResponse(request, reply, await forwardToBetterAuth(betterAuth, request, call))
      },
    }),

    route('GET /api/v1/single-sign-on', {
      summary: 'Read the configuration of single sign-on, without the client secret',
      response: { single_sign_on: SingleSignOn },
      handle: () => ({ single_sign_on }),
    }),
  ]
}
