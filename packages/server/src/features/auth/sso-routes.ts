import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer, SingleSignOn } from '@recordhub/protocol'
import { AUTH_PATH } from './auth-names.ts'
import { OIDC, type OidcSettings } from './auth-plugins.ts'

/** How single sign-on is set up, for who sets it up. */
export function singleSignOnRoutes(parts: {
  oidc: OidcSettings | null
  publicUrl: string
}): FastifyPluginAsyncTypebox {
  const { oidc, publicUrl } = parts
  const single_sign_on: SingleSignOn = {
    configured: oidc !== null,
    name: oidc?.name ?? null,
    issuer: oidc?.issuer ?? null,
    client_id: oidc?.clientId ?? null,
    redirect_uri: publicUrl === '' ? null : `${publicUrl}${AUTH_PATH}/callback/${OIDC}`,
    default_role: oidc?.defaultRole ?? null,
    domains: [...(oidc?.domains ?? [])],
  }
  return async (app) => {
    app.get(
      '/api/v1/single-sign-on',
      {
        schema: {
          summary: 'How single sign-on is set up, without its secret',
          response: {
            200: Type.Object({ success: Type.Literal(true), single_sign_on: SingleSignOn }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async () => ({ success: true as const, single_sign_on }),
    )
  }
}
