import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { SignInOptions } from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorBody, HubError } from '../../errors.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { Auth } from './auth.ts'
import { OIDC, type OidcSettings, passkeySite } from './auth-plugins.ts'
import { findHalfSignedIn, forwardToBetterAuth, toSignInError } from './forward-to-better-auth.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import { type CallerOf, operatorOf } from './requester.ts'
import type { TrustedDevices } from './trusted-device.ts'

const Text = Type.String({ maxLength: 1000 })
const Anything = Type.Object({}, { additionalProperties: true })
const exactly = <Members extends Record<string, ReturnType<typeof Type.String>>>(
  members: Members,
) => Type.Object(members, { additionalProperties: false })

/** Better Auth has many more paths; what the hub does not offer is not reachable. */
const STEPS = [
  {
    path: 'sign-in/email',
    guess: 'password',
    summary: 'Sign in with {email, password}, which gives a session cookie',
    body: Type.Object(
      { email: Text, password: Text, rememberMe: Type.Optional(Type.Boolean()) },
      { additionalProperties: false },
    ),
  },
  {
    path: 'two-factor/verify-totp',
    guess: 'code',
    summary: 'Go on with a sign-in by the code of an authenticator app',
    body: exactly({ code: Text }),
  },
  {
    path: 'two-factor/verify-backup-code',
    guess: 'recovery code',
    summary: 'Go on with a sign-in by a recovery code, which holds once',
    body: exactly({ code: Text }),
  },
  {
    path: 'passkey/verify-authentication',
    guess: null,
    summary: 'Sign in with a passkey: what the browser made of the options',
    body: Type.Object({ response: Anything }, { additionalProperties: false }),
  },
] as const

/** The steps of signing in, none of which is done in the name of who is signed in already. */
export function signInRoutes(parts: {
  auth: Auth
  /** Of the provider of single sign-on; null where there is none. */
  reachProvider: (() => Promise<Auth>) | null
  oidc: OidcSettings | null
  publicUrl: string
  operators: Pick<OperatorStore, 'readOperator' | 'hasOperators'>
  activity: ActivityStore
  limits: LoginThrottle
  devices: TrustedDevices
  callerOf: CallerOf
}): FastifyPluginAsyncTypebox {
  const { auth, reachProvider, oidc, publicUrl, operators, limits, devices } = parts
  const { activity, callerOf } = parts

  /** Whose account a step is about; null where a code comes without a sign-in that waits for one. */
  async function emailOf(request: FastifyRequest): Promise<string | null> {
    const { email } = Object(request.body)
    if (typeof email === 'string') return email
    const id = await findHalfSignedIn(auth, request)
    return id === null ? null : ((await operators.readOperator(id))?.email ?? null)
  }

  return async (app) => {
    for (const { path, summary, body, guess } of STEPS) {
      app.post(
        `/api/auth/${path}`,
        { schema: { summary, body, response: { 200: Anything } } },
        async (request, reply) => {
          const sent = guess === 'recovery code' ? hashed(request.body) : Object(request.body)
          const step = () =>
            forwardToBetterAuth(auth, request, { path, body: sent, withSession: false })
          if (guess === null) return passOn(request, reply, await step())
          const whose = await emailOf(request)
          const email = whose ?? ''
          // A code is tried for nobody else than the account that it is counted for.
          const trial = whose === null ? refuseCode : step
          if (guess === 'password' && !(await operators.hasOperators())) {
            throw new HubError('operator_missing')
          }
          const answer = await limits.trying({ of: guess, email, request }, trial)
          if (beginsSession(answer)) devices.remember(reply, email)
          return passOn(request, reply, answer)
        },
      )
    }

    app.get(
      '/api/auth/passkey/generate-authenticate-options',
      {
        schema: { summary: 'What a browser needs to use a passkey', response: { 200: Anything } },
      },
      async (request, reply) => {
        const path = 'passkey/generate-authenticate-options'
        const call = { path, method: 'GET', withSession: false } as const
        return passOn(request, reply, await forwardToBetterAuth(auth, request, call))
      },
    )

    app.post(
      '/api/auth/sign-out',
      { schema: { summary: 'End the session', response: { 200: Anything } } },
      async (request, reply) => {
        const { email } = operatorOf(callerOf, request)
        const answer = await forwardToBetterAuth(auth, request, {
          path: 'sign-out',
          withSession: true,
        })
        const audit = { actor: email, action: 'session.sign_out', target: null }
        await activity.appendAudit({ ...audit, address: request.ip })
        // Also what a browser holds to go back to. It keeps the order of columns, which is nobody's secret.
        if (answer.ok) reply.header('Clear-Site-Data', '"cache"')
        return passOn(request, reply, answer)
      },
    )

    app.post(
      '/api/auth/sign-in/social',
      {
        schema: {
          summary: 'Begin a single sign-on; the answer has the address to go to',
          body: Type.Object(
            {
              provider: Type.Literal(OIDC),
              callbackURL: Type.String({ maxLength: 2000, pattern: '^/dashboard([/?].*)?$' }),
            },
            { additionalProperties: false },
          ),
          response: { 200: Anything },
        },
      },
      async (request, reply) => {
        if (!reachProvider) throw new HubError('not_found', { what: 'single sign-on' })
        const ssoAuth = await reachProvider()
        const body = { ...request.body, errorCallbackURL: '/sign-in', disableRedirect: true }
        const call = { path: 'sign-in/social', body, withSession: false }
        return passOn(request, reply, await forwardToBetterAuth(ssoAuth, request, call))
      },
    )

    app.get(
      `/api/auth/callback/${OIDC}`,
      {
        schema: {
          summary: 'Where the provider of single sign-on sends a browser back to',
          querystring: Anything,
          response: { 200: Type.Null(), 302: Type.Null() },
        },
      },
      async (request, reply) => {
        if (!reachProvider) throw new HubError('not_found', { what: 'single sign-on' })
        const ssoAuth = await reachProvider().catch((error: unknown) => {
          if (error instanceof HubError) return error
          throw error
        })
        // Somebody stands here with a browser.
        if (ssoAuth instanceof HubError) return reply.redirect(`/sign-in?error=${ssoAuth.code}`)
        const query = request.url.split('?')[1] ?? ''
        const path = `callback/${OIDC}?${query}`
        return passOn(
          request,
          reply,
          await forwardToBetterAuth(ssoAuth, request, { path, method: 'GET', withSession: false }),
        )
      },
    )

    app.get(
      '/api/v1/sign-in-options',
      {
        schema: {
          summary: 'How one can sign in here',
          response: {
            200: Type.Object({ success: Type.Literal(true), ...SignInOptions.properties }),
          },
        },
      },
      async (request) => {
        const { id } = passkeySite(publicUrl)
        // Browsers offer passkeys over TLS and on the same machine only.
        const isSecure = publicUrl.startsWith('https:') || id === 'localhost'
        return {
          success: true as const,
          passkeys: isSecure && request.hostname === id,
          single_sign_on: oidc ? [{ id: OIDC, name: oidc.name }] : [],
        }
      },
    )
  }
}

/** Of a recovery code its hash alone is known to Better Auth; who sends a hash has it hashed once more. */
function hashed(body: unknown): object {
  return { code: hashRecoveryCode(String(Object(body).code)) }
}

/** As Better Auth does where the sign-in before is too long ago. */
async function refuseCode(): Promise<Response> {
  const code = 'INVALID_TWO_FACTOR_COOKIE'
  return Response.json({ code, message: 'Sign in with the password first.' }, { status: 401 })
}

function beginsSession(answer: Response): boolean {
  const cookies = answer.headers.getSetCookie()
  return answer.ok && cookies.some((cookie) => /session_token=[^;]/.test(cookie))
}

/** The session's token is for the cookie alone, out of reach of scripts. */
async function passOn(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Response,
): Promise<FastifyReply> {
  reply.code(answer.status).header('Cache-Control', 'no-store')
  for (const cookie of answer.headers.getSetCookie()) reply.header('set-cookie', cookie)
  const location = answer.headers.get('location')
  if (location !== null) return reply.redirect(location, 302)
  const text = await answer.text()
  reply.type('application/json; charset=utf-8').serializer(JSON.stringify)
  if (!answer.ok) {
    const { code, message } = toSignInError(text, request.headers.origin ?? '')
    const body: ErrorBody = { success: false, code, message, request_id: request.id }
    return reply.send(body)
  }
  const { token: _, session: __, ...said } = Object(text === '' ? {} : JSON.parse(text))
  return reply.send(said)
}
