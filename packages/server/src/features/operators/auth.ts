/** Sign-in and sessions, kept by Better Auth on the hub's own database. */
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@recordhub/protocol'
import { betterAuth } from 'better-auth'
import { isRole, type Role } from '../../domain/caller.ts'
import { HubError } from '../../errors.ts'
import { hashPassword, verifyPassword } from '../../lib/password-hash.ts'
import { createHooks, type HookParts } from './auth-hooks.ts'
import { AUTH_PATH, CLIENT_ADDRESS_HEADER } from './auth-names.ts'
import { type OidcSettings, passkeys, secondFactor, singleSignOn } from './auth-plugins.ts'
import { ACCOUNT, RATE_LIMIT, SESSION, USER, VERIFICATION } from './auth-tables.ts'

const SESSION_SECONDS = 7 * 24 * 3600
const SESSION_REFRESH_SECONDS = 3600
const SEEN_MS = 60_000

export type AuthSettings = HookParts & {
  /** Signs session cookies. */
  secret: string
  /** The address that operators use; decides whether cookies are Secure. '' where nobody has said it. */
  publicUrl: string
  /** Asked for its description before anybody can sign in; null for none. */
  oidc: OidcSettings | null
  /** Told what went wrong within Better Auth. */
  complain: (message: string, causes: unknown[]) => void
}

const hidden = { type: 'string', required: false, input: false } as const
/** Guesses from one address. */
const GUESSES = { window: 60, max: 10 } as const

export function createAuth(settings: AuthSettings) {
  const { operators, secret, publicUrl, oidc, complain } = settings
  const { dialect, type } = operators.authDatabase
  const hooks = createHooks(settings, oidc)
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
        hash: hashPassword,
        verify: ({ hash, password }) => verifyPassword(hash, password),
      },
    },
    user: {
      ...USER,
      additionalFields: {
        role: hidden,
        disabledAt: { ...hidden, fieldName: 'disabled_at' },
        lastSeenAt: { ...hidden, fieldName: 'last_seen_at' },
      },
    },
    // Whether a passkey may be added is asked of the password.
    session: {
      ...SESSION,
      expiresIn: SESSION_SECONDS,
      updateAge: SESSION_REFRESH_SECONDS,
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
          before: (session, call) => hooks.admit(session.userId, call),
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
        '/sign-in/email': GUESSES,
        '/sign-in/social': GUESSES,
        '/change-password': GUESSES,
        '/verify-password': GUESSES,
        '/two-factor/*': GUESSES,
        '/passkey/*': { window: 60, max: 20 },
      },
    },
    plugins: [secondFactor(), passkeys(publicUrl), singleSignOn(oidc)],
    advanced: {
      cookiePrefix: 'recordhub',
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/' },
    },
    telemetry: { enabled: false },
    logger: { level: 'error', log: (_level, message, ...causes) => complain(message, causes) },
  })
}

export type Auth = ReturnType<typeof createAuth>

export type SignedIn = {
  operator: { id: string; email: string; name: string; role: Role }
  sessionId: string
}

/** Who is signed in by a request's cookie; null for nobody. Does not keep an idle session alive if told so. */
export async function readSession(
  { auth, operators, clock }: { auth: Auth } & Pick<HookParts, 'operators' | 'clock'>,
  headers: Headers,
  { keepAlive }: { keepAlive: boolean },
): Promise<SignedIn | null> {
  const found = await auth.api
    .getSession({ headers, query: { disableRefresh: !keepAlive } })
    .catch((error: unknown) => {
      // That the storage is away is told as such, and not as a failure to get a session.
      throw error instanceof Error && error.cause instanceof HubError ? error.cause : error
    })
  if (!found || found.user.disabledAt) return null
  const { id, email, name, role, lastSeenAt } = found.user
  const now = clock.now()
  if (keepAlive && Date.parse(lastSeenAt ?? '1970-01-01') < now.getTime() - SEEN_MS) {
    // Who only reads is served also while nothing can be written.
    await operators.noteSeen(id, now.toISOString()).catch(() => undefined)
  }
  return {
    operator: { id, email, name, role: role && isRole(role) ? role : 'viewer' },
    sessionId: found.session.id,
  }
}
