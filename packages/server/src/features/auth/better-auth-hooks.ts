/** Decisions of the hub while Better Auth creates operators and sessions. */
import { APIError } from 'better-auth/api'
import { toOperatorName } from '../../domain/auth/operator-name.ts'
import { decideAdmission } from '../../domain/auth/single-sign-on.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { CLIENT_ADDRESS_HEADER, SESSION_COOKIE } from './better-auth-names.ts'
import type { OidcSettings } from './better-auth-plugins.ts'

export type HookDeps = Pick<FeatureDeps, 'operators' | 'invitations' | 'activity' | 'clock'>

/** The part of Better Auth's endpoint context that the hooks read. */
type EndpointContext = {
  path?: string
  body?: unknown
  headers?: Headers | undefined
  context?: { session?: { session: Record<string, unknown> } | null }
} | null

const PASSWORD = 'password'
/** The sign-in method of each of Better Auth's paths, as the audit log records it. */
const METHODS: Readonly<Record<string, string>> = {
  '/sign-in/email': PASSWORD,
  '/two-factor/verify-totp': 'password and code',
  '/two-factor/verify-backup-code': 'password and recovery code',
  '/passkey/verify-authentication': 'passkey',
  '/callback/:id': 'single sign-on',
}

export function createHooks(deps: HookDeps, oidc: OidcSettings | null) {
  const { operators, invitations, activity, clock } = deps
  const now = () => clock.now().toISOString()

  /**
   * Runs before a session is created, and records whether it was authenticated by more than a password.
   * @throws APIError if the operator is disabled or the code was already used.
   */
  async function beforeSession(
    { userId: operatorId }: { userId: string },
    endpoint: EndpointContext,
  ) {
    const operator = await operators.readOperator(operatorId)
    if (!operator || operator.disabled_at !== null) {
      throw new APIError('FORBIDDEN', {
        code: 'OPERATOR_DISABLED',
        message: 'This account is disabled. Contact an admin of the hub.',
      })
    }
    const code = endpoint?.path === '/two-factor/verify-totp' && Object(endpoint.body).code
    if (typeof code !== 'string' || (await operators.consumeCode(operatorId, sha256(code)))) {
      // Better Auth stores only the network of an IPv6 address, in a form of its own.
      const ipAddress = endpoint?.headers?.get(CLIENT_ADDRESS_HEADER)
      return { data: { strong: isStrong(endpoint), ...(ipAddress ? { ipAddress } : {}) } }
    }
    throw new APIError('UNAUTHORIZED', {
      code: 'CODE_USED',
      message: 'This code was already used. Sign in again with the next code.',
    })
  }

  /** Runs after a session was created, and records the sign-in. */
  async function afterSession(
    session: {
      id: string
      userId: string
      ipAddress?: string | null | undefined
      userAgent?: string | null | undefined
    },
    endpoint: EndpointContext,
  ): Promise<void> {
    const method = METHODS[endpoint?.path ?? '']
    const hadSession = endpoint?.headers?.get('cookie')?.includes(SESSION_COOKIE) === true
    if (method === undefined || hadSession) return
    const operator = await operators.readOperator(session.userId)
    // With a second factor, the password is only the first step of the sign-in.
    if (!operator || (method === PASSWORD && operator.second_factor)) return
    await operators.touchSession(operator.id, session.id, now())
    await activity.appendAudit({
      actor: operator.email,
      action: 'session.begin',
      target: null,
      address: session.ipAddress || null,
      details: { method, browser: session.userAgent || null },
    })
  }

  /**
   * Runs before an operator is created, and assigns the role of a newcomer from single sign-on.
   * @throws APIError if the newcomer is not admitted.
   */
  async function beforeOperator(
    user: { email: string; emailVerified: boolean; name: string },
    endpoint: EndpointContext,
  ) {
    if (!isSingleSignOn(endpoint)) return undefined
    const { email, emailVerified } = user
    const name = toOperatorName(user.name) || email
    const invitation = await invitations.findInvitationOf(email, now())
    const { domains = [], defaultRole = 'viewer' as const } = oidc ?? {}
    const policy = { invited: invitation?.role ?? null, domains, defaultRole }
    const admission = decideAdmission({ email, emailVerified }, policy)
    if (admission.outcome === 'admitted') return { data: { role: admission.role, name } }
    throw new APIError('FORBIDDEN', {
      code: emailVerified ? 'not_invited' : 'email_not_verified',
      message: 'This e-mail address is not admitted.',
    })
  }

  /** Runs after an operator was created by single sign-on, and uses up the invitation. */
  async function afterOperator(user: { email: string }, endpoint: EndpointContext): Promise<void> {
    if (!isSingleSignOn(endpoint)) return
    const { email } = user
    const invitation = await invitations.findInvitationOf(email, now())
    if (invitation) await invitations.acceptInvitation(invitation.id, now())
    await activity.appendAudit({
      actor: email,
      action: 'operator.create',
      target: email,
      address: null,
      details: { by: 'single sign-on', invited_by: invitation?.invited_by ?? null },
    })
  }

  return { beforeSession, afterSession, beforeOperator, afterOperator }
}

/** A session that replaces another one, such as after a change of the password, is as strong as that one. */
function isStrong(endpoint: EndpointContext): boolean {
  const method = METHODS[endpoint?.path ?? '']
  if (method !== undefined) return method !== PASSWORD
  return endpoint?.context?.session?.session['strong'] === true
}

function isSingleSignOn(endpoint: EndpointContext): boolean {
  return endpoint?.path === '/callback/:id'
}
