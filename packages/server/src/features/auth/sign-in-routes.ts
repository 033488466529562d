import { ClosedObject, SignInOptions } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { hashRecoveryCode, passkeySite } from '../../domain/auth/second-factor.ts'
import { HubError } from '../../errors.ts'
import { operatorOf } from '../../http/authorize.ts'
import { route, special } from '../../http/route.ts'
import type { AuthDeps } from './auth-deps.ts'
import { OIDC } from './better-auth-names.ts'
import { findPendingSignIn, forwardToBetterAuth, sendResponse } from './forward-to-better-auth.ts'

const Text = Type.String({ maxLength: 1000 })
const AnyObject = Type.Object({}, { additionalProperties: true })
const CodeRequest = ClosedObject({ code: Text })

/** The steps of a sign-in that the hub offers. The other paths of Better Auth are not reachable. */
const STEPS = [
  {
    path: 'sign-in/email',
    credential: 'password',
    summary: 'Sign in with e-mail address and password; the response sets a session cookie',
    body: ClosedObject({ email: Text, password: Text, rememberMe: Type.Optional(Type.Boolean()) }),
  },
  {
    path: 'two-factor/verify-totp',
    credential: 'code',
    summary: 'Complete a sign-in with the code of an authenticator app',
    body: CodeRequest,
  },
  {
    path: 'two-factor/verify-backup-code',
    credential: 'recovery code',
    summary: 'Complete a sign-in with a recovery code, which works once',
    body: CodeRequest,
  },
  {
    path: 'passkey/verify-authentication',
    credential: null,
    summary: "Sign in with a passkey: the browser's response to the options",
    body: ClosedObject({ response: AnyObject }),
  },
] as const

const LIMIT =
  'A response with status 401 says in RateLimit-Remaining how many more attempts may fail before the next one has to wait, and then in Retry-After for how many seconds.'

/** The steps of a sign-in with a password, a code or a passkey, and the sign-out. */
export function signInRoutes(
  deps: Pick<
    AuthDeps,
    'operators' | 'activity' | 'publicUrl' | 'betterAuth' | 'oidc' | 'throttle' | 'devices'
  >,
) {
  const { betterAuth, oidc, publicUrl, operators, throttle, devices, activity } = deps

  /** The account of a step; null for a code without a sign-in that waits for one. */
  async function emailOf(request: FastifyRequest): Promise<string | null> {
    const { email } = Object(request.body)
    if (typeof email === 'string') return email
    const id = await findPendingSignIn(betterAuth, request)
    return id === null ? null : ((await operators.readOperator(id))?.email ?? null)
  }

  return [
    ...STEPS.map(({ path, summary, body, credential }) =>
      special(`POST /api/auth/${path}`, {
        ...{ summary, body, response: { 200: AnyObject } },
        ...(credential === null ? {} : { description: LIMIT }),
        async handle(request, reply) {
          // Better Auth knows only the hashes of recovery codes. A client that sends a hash gets it hashed again.
          const entered = Object(request.body)
          const body =
            credential === 'recovery code'
              ? { code: hashRecoveryCode(String(entered.code)) }
              : entered
          const call = { path, body, withSession: false }
          const step = () => forwardToBetterAuth(betterAuth, request, call)
          if (credential === null) return sendResponse(request, reply, await step())
          const account = await emailOf(request)
          const email = account ?? ''
          if (credential === 'password' && !(await operators.hasOperators())) {
            throw new HubError('operator_missing')
          }
          const response = await throttle.signIn(
            { credential, email, request },
            // Better Auth must not check a code for another account than the one that the attempt is counted for.
            account === null ? rejectCode : step,
          )
          if (startsSession(response)) devices.remember(reply, email)
          return sendResponse(request, reply, response)
        },
      }),
    ),

    special('GET /api/auth/passkey/generate-authenticate-options', {
      summary: 'Get the options with which a browser uses a passkey',
      response: { 200: AnyObject },
      async handle(request, reply) {
        const path = 'passkey/generate-authenticate-options'
        const call = { path, method: 'GET', withSession: false } as const
        const response = await forwardToBetterAuth(betterAuth, request, call)
        if (!response.ok) return sendResponse(request, reply, response)
        // Better Auth asks for it only if the device can do it, but a passkey without it is rejected.
        const options = { ...Object(await response.json()), userVerification: 'required' }
        return sendResponse(request, reply, Response.json(options, { headers: response.headers }))
      },
    }),

    special('POST /api/auth/sign-out', {
      summary: 'End the session',
      response: { 200: AnyObject },
      async handle(request, reply) {
        operatorOf(request)
        const call = { path: 'sign-out', withSession: true }
        const response = await forwardToBetterAuth(betterAuth, request, call)
        await activity.appendAudit({
          ...request.requester,
          action: 'session.sign_out',
          target: null,
        })
        // Also clears the pages that the back button would show, but not local storage, which only contains column orders.
        if (response.ok) reply.header('Clear-Site-Data', '"cache"')
        return sendResponse(request, reply, response)
      },
    }),

    route('GET /api/v1/sign-in-options', {
      summary: 'List the ways to sign in',
      response: SignInOptions.properties,
      handle({ hostname }) {
        const { id } = passkeySite(publicUrl)
        // Browsers offer passkeys only over TLS and on localhost.
        const isSecure = publicUrl.startsWith('https:') || id === 'localhost'
        return {
          passkeys: isSecure && hostname === id,
          single_sign_on: oidc ? [{ id: OIDC, name: oidc.name }] : [],
        }
      },
    }),
  ]
}

/** The same response as from Better Auth when the first step of the sign-in has expired. */
async function rejectCode(): Promise<Response> {
  const code = 'INVALID_TWO_FACTOR_COOKIE'
  return Response.json({ code, message: 'Sign in with the password first.' }, { status: 401 })
}

function startsSession(response: Response): boolean {
  const cookies = response.headers.getSetCookie()
  return response.ok && cookies.some((cookie) => /session_token=[^;]/.test(cookie))
}
