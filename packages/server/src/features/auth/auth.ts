/** Sign-in and sessions, kept by Better Auth on the hub's own database. */
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@recordhub/protocol'
import { betterAuth } from 'better-auth'
import { isRole, type Role } from '../../domain/auth/caller.ts'
import { HubError } from '../../errors.ts'
import { hashPassword, type PasswordCost, verifyPassword } from '../../lib/crypto/password-hash.ts'
import { createHooks, type HookParts } from './auth-hooks.ts'
import { AUTH_PATH, CLIENT_ADDRESS_HEADER } from './auth-names.ts'
import { type OidcSettings, passkeys, secondFactor, singleSignOn } from './auth-plugins.ts'
import { ACCOUNT, RATE_LIMIT, SESSION, USER, VERIFICATION } from './auth-tables.ts'

/** How often it is noted that somebody is at work. */
const SEEN_MS = 60_000

/** How long a session lasts in any case, and where nobody does anything. */
export type SessionLimits = { days: number; idleMinutes: number }

export type AuthSettings = HookParts & {
  /** Signs session cookies, and seals second factors. */
  secret: string
  /** The address that operators use; decides whether cookies are Secure. '' where nobody has said it. */
  publicUrl: string
  session: SessionLimits
  passwordCost: PasswordCost
  /** Asked for its description before anybody can sign in; null for none. */
  oidc: OidcSettings | null
  /** Told what went wrong within Better Auth. */
  complain: (message: string, causes: unknown[]) => void
}

const hidden = { type: 'string', required: false, input: false } as const
/** Requests from one address. */
const UNGUESSABLE = { window: 60, max: 60 } as const

export function createAuth(settings: AuthSettings) {
  const { operators, secret, publicUrl, oidc, passwordCost, complain } = settings
  const { dialect, type } = operators.authDatabase
  const hooks = createHooks(settings, oidc)
  const isBehindTls = publicUrl.startsWith('https:')
  return betterAuth({
    appName: 'Recordhub',
    database: { dialect, type },
    secret,
    baseURL: publicUrl || 'http://localhost',
    basePath: AUTH_PATH,
    // The hub is reached by whatever name it has in its network; a page of another site is refused.
    trustedOrigins: (request) => (request ? [new URL(request.url).origin] : []),
    onAPIError: { errorURL: `${publicUrl}/sign-in` },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      maxPasswordLength: MAX_PASSWORD_LENGTH,
      password: {
        hash: (password) => hashPassword(password, passwordCost),
        verify: ({ hash, password }) => verifyPassword(hash, password),
      },
    },
    user: {
      ...USER,
      additionalFields: {
        role: hidden,
        disabledAt: { ...hidden, fieldName: 'disabled_at' },
      },
    },
    // Its end is fixed when it begins. Whether a passkey may be added is asked of the password.
    session: {
      ...SESSION,
      additionalFields: { strong: { type: 'boolean', required: false, input: false } },
      expiresIn: settings.session.days * 24 * 3600,
      disableSessionRefresh: true,
      freshAge: 0,
    },
    account: { ...ACCOUNT, updateAccountOnSignIn: false },
    verification: VERIFICATION,
    databaseHooks: {
      user: {
        create: {
          before: (user, call) => hooks.admitNewcomer(user, call),
          after: (user, call) => hooks.noteNewcomer(user, call),
        },
      },
      session: {
        create: {
          before: (session, call) => hooks.admit(session, call),
          after: (session, call) => hooks.noteSignIn(session, call),
        },
      },
      // The hub calls nothing in an operator's name, so it keeps no tokens of the provider.
      account: {
        create: {
          before: async () => ({ data: { accessToken: null, refreshToken: null, idToken: null } }),
        },
      },
    },
    rateLimit: {
      ...RATE_LIMIT,
      enabled: true,
      storage: 'database',
      window: 60,
      max: 100,
      customRules: {
        // login-throttle.ts counts these.
        '/sign-in/email': false,
        '/change-password': false,
        '/verify-password': false,
        '/two-factor/*': false,
        // These cannot be guessed, but store something.
        '/sign-in/social': UNGUESSABLE,
        '/passkey/*': UNGUESSABLE,
      },
    },
    plugins: [secondFactor(secret), passkeys(publicUrl), singleSignOn(oidc)],
    advanced: {
      // The prefix makes a browser refuse a cookie that another host of the domain, or no TLS, has set.
      cookiePrefix: isBehindTls ? '__Host-recordhub' : 'recordhub',
      useSecureCookies: false,
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      defaultCookieAttributes: {
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure: isBehindTls,
      },
    },
    telemetry: { enabled: false },
    logger: { level: 'error', log: (_level, message, ...causes) => complain(message, causes) },
  })
}

export type Auth = ReturnType<typeof createAuth>

export type SignedIn = {
  operator: { id: string; email: string; name: string; role: Role }
  sessionId: string
  /** Whether it came by more than a password. */
  isStrong: boolean
}

/**
 * Who is signed in by a request's cookie; null for nobody, and where the session has run out or nobody has
 * done anything in it for long.
 * @param keepAlive whether this request is done by a person, from which on it counts anew.
 */
export async function readSession(
  parts: { auth: Auth; session: SessionLimits } & Pick<HookParts, 'operators' | 'clock'>,
  headers: Headers,
  { keepAlive }: { keepAlive: boolean },
): Promise<SignedIn | null> {
  const { auth, operators, clock, session: limits } = parts
  const found = await auth.api.getSession({ headers }).catch((error: unknown) => {
    // That the storage is away is told as such, and not as a failure to get a session.
    throw error instanceof Error && error.cause instanceof HubError ? error.cause : error
  })
  if (!found || found.user.disabledAt) return null
  const { session } = found
  const { id, email, name, role } = found.user
  const now = clock.now()
  // After a clock went back a session must not seem in use until it has caught up.
  const idleMs = Math.abs(now.getTime() - session.updatedAt.getTime())
  if (idleMs > limits.idleMinutes * 60_000 || session.expiresAt <= now) return null
  if (keepAlive && idleMs > SEEN_MS) {
    // Who only reads is served also while nothing can be written.
    await operators.touchSession(id, session.id, now.toISOString()).catch(() => undefined)
  }
  return {
    operator: { id, email, name, role: role && isRole(role) ? role : 'viewer' },
    sessionId: session.id,
    isStrong: session.strong === true,
  }
}
