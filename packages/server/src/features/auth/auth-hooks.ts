/** What the hub itself decides while Better Auth signs somebody in. */
import { APIError } from 'better-auth/api'
import { decideAdmission } from '../../domain/auth/operator.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { InvitationStore } from '../../storage/port/invitation-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import { SESSION_COOKIE } from './auth-names.ts'
import type { OidcSettings } from './auth-plugins.ts'

export type HookParts = {
  operators: OperatorStore
  invitations: InvitationStore
  activity: ActivityStore
  clock: Clock
}

/** What of an endpoint's call the hooks look at. */
type HookedCall = {
  path?: string
  body?: unknown
  headers?: Headers | undefined
  context?: { session?: { session: Record<string, unknown> } | null }
} | null

const PASSWORD = 'password'
/** How somebody signed in, by the path of Better Auth that did it. */
const METHODS: Readonly<Record<string, string>> = {
  '/sign-in/email': PASSWORD,
  '/two-factor/verify-totp': 'password and code',
  '/two-factor/verify-backup-code': 'password and recovery code',
  '/passkey/verify-authentication': 'passkey',
  '/callback/:id': 'single sign-on',
}

export function createHooks(parts: HookParts, oidc: OidcSettings | null) {
  const { operators, invitations, activity, clock } = parts
  const now = () => clock.now().toISOString()

  /** Says whether a session comes by more than a password. @throws APIError where this operator must not get in. */
  async function admit({ userId: operatorId }: { userId: string }, call: HookedCall) {
    const operator = await operators.readOperator(operatorId)
    if (!operator || operator.disabled_at !== null) {
      throw new APIError('FORBIDDEN', {
        code: 'OPERATOR_DISABLED',
        message: 'This account is disabled. Ask an admin of the hub.',
      })
    }
    const code = call?.path === '/two-factor/verify-totp' && Object(call.body).code
    if (typeof code !== 'string' || (await operators.takeCode(operatorId, sha256(code)))) {
      return { data: { strong: isStrong(call) } }
    }
    throw new APIError('UNAUTHORIZED', {
      code: 'CODE_USED',
      message: 'This code was used already. Sign in again with the next one.',
    })
  }

  async function noteSignIn(
    session: {
      id: string
      userId: string
      ipAddress?: string | null | undefined
      userAgent?: string | null | undefined
    },
    call: HookedCall,
  ): Promise<void> {
    const method = METHODS[call?.path ?? '']
    const hadSession = call?.headers?.get('cookie')?.includes(SESSION_COOKIE) === true
    if (method === undefined || hadSession) return
    const operator = await operators.readOperator(session.userId)
    // A password alone is half a sign-in where there is a second factor.
    if (!operator || (method === PASSWORD && operator.second_factor)) return
    await operators.noteSeen(operator.id, session.id, now())
    await activity.appendAudit({
      actor: operator.email,
      action: 'session.begin',
      target: null,
      address: session.ipAddress || null,
      details: { method, browser: session.userAgent || null },
    })
  }

  async function noteNewcomer(user: { email: string }, call: HookedCall): Promise<void> {
    if (!isSingleSignOn(call)) return
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

  /** Gives who comes by single sign-on a role. @throws APIError where nobody lets them in. */
  async function admitNewcomer(user: { email: string; emailVerified: boolean }, call: HookedCall) {
    if (!isSingleSignOn(call)) return undefined
    const { email, emailVerified } = user
    const invitation = await invitations.findInvitationOf(email, now())
    const { domains = [], defaultRole = 'viewer' as const } = oidc ?? {}
    const rules = { invited: invitation?.role ?? null, domains, defaultRole }
    const admission = decideAdmission({ email, emailVerified }, rules)
    if (admission.outcome === 'admitted') return { data: { role: admission.role } }
    throw new APIError('FORBIDDEN', {
      code: emailVerified ? 'not_invited' : 'email_not_verified',
      message: 'This e-mail is not let in.',
    })
  }

  return { admit, admitNewcomer, noteSignIn, noteNewcomer }
}

/** One that takes the place of another, as with a new password, is as strong as that one was. */
function isStrong(call: HookedCall): boolean {
  const method = METHODS[call?.path ?? '']
  if (method !== undefined) return method !== PASSWORD
  return call?.context?.session?.session['strong'] === true
}

function isSingleSignOn(call: HookedCall): boolean {
  return call?.path === '/callback/:id'
}
