/** Sign-in and sessions by Better Auth, on the database of the hub. */
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@recordhub/protocol'
import { betterAuth } from 'better-auth'
import { hashPassword, type PasswordCost, verifyPassword } from '../../lib/crypto/password-hash.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { createHooks, type HookDeps } from './better-auth-hooks.ts'
import {
  ACCOUNT,
  AUTH_PATH,
  CLIENT_ADDRESS_HEADER,
  RATE_LIMIT,
  SESSION,
  USER,
  VERIFICATION,
} from './better-auth-names.ts'
import { type OidcSettings, passkeys, secondFactor, singleSignOn } from './better-auth-plugins.ts'

export type BetterAuthDeps = HookDeps &
  Pick<FeatureDeps, 'publicUrl' | 'isBehindTls' | 'config' | 'log'> & {
    /** Signs session cookies and encrypts second factors. */
    secret: string
    passwordCost: PasswordCost
    /** Null without single sign-on. With it, Better Auth reads the provider's discovery document first. */
    oidc: OidcSettings | null
  }

const hidden = { type: 'string', required: false, input: false } as const
/** The limit for requests from one address that cannot be brute-forced, but write to the database. */
const WRITE_LIMIT = { window: 60, max: 60 } as const

export function createBetterAuth(deps: BetterAuthDeps) {
  const { operators, secret, publicUrl, isBehindTls, config, oidc, passwordCost, log } = deps
  const { dialect, type } = operators.authDatabase
  const hooks = createHooks(deps, oidc)
  const { handler, api, $context } = betterAuth({
    appName: 'Recordhub',
    database: { dialect, type },
    secret,
    baseURL: publicUrl || 'http://localhost',
    basePath: AUTH_PATH,
    // The hub may have several names in its network. Requests from pages of other origins are rejected.
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
    // The end of a session is fixed at its start. Adding a passkey requires the password, not a fresh session.
    session: {
      ...SESSION,
      additionalFields: { strong: { type: 'boolean', required: false, input: false } },
      expiresIn: config.HUB_SESSION_DAYS * 24 * 3600,
      disableSessionRefresh: true,
      freshAge: 0,
    },
    account: { ...ACCOUNT, updateAccountOnSignIn: false },
    verification: VERIFICATION,
    databaseHooks: {
      user: {
        create: {
          before: (user, endpoint) => hooks.beforeOperator(user, endpoint),
          after: (user, endpoint) => hooks.afterOperator(user, endpoint),
        },
      },
      session: {
        create: {
          before: (session, endpoint) => hooks.beforeSession(session, endpoint),
          after: (session, endpoint) => hooks.afterSession(session, endpoint),
        },
      },
      // The hub calls no API of the provider on behalf of an operator, so it stores no tokens.
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
        // The login throttle limits these.
        '/sign-in/email': false,
        '/change-password': false,
        '/verify-password': false,
        '/two-factor/*': false,
        '/sign-in/social': WRITE_LIMIT,
        '/passkey/*': WRITE_LIMIT,
      },
    },
    plugins: [secondFactor(secret), passkeys(publicUrl), singleSignOn(oidc)],
    advanced: {
      // With this prefix, browsers reject a cookie set by another host of the domain or without TLS.
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
    // With a `level` of error or warn, Better Auth prints each rejected request on the console.
    logger: {
      log(level, message, ...causes) {
        if (level === 'error') log.warn({ causes: causes.map(String) }, message)
      },
    },
  })
  return {
    handler,
    /** The session of a request and its operator; null without a valid session. */
    getSession: (headers: Headers) => api.getSession({ headers }),
    /** Better Auth's functions for cookies, passwords and stored values. */
    context: () => $context,
  }
}

/** The functions of Better Auth that the hub uses. */
export type BetterAuth = ReturnType<typeof createBetterAuth>
