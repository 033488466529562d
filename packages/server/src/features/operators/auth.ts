/** Sign-in and sessions, kept by Better Auth on the hub's own database. */
import { betterAuth } from 'better-auth'
import { isRole, type Role } from '../../domain/caller.ts'
import { HubError } from '../../errors.ts'
import type { AuthDatabase } from '../../storage/port/operator-store.ts'

/** The header in which the hub hands Better Auth the client's address, for its limits on guesses. */
export const CLIENT_ADDRESS_HEADER = 'x-recordhub-client-address'

export const MIN_PASSWORD_LENGTH = 12
const SESSION_SECONDS = 7 * 24 * 3600
const SESSION_REFRESH_SECONDS = 3600

export type AuthSettings = {
  database: AuthDatabase
  /** Signs session cookies. */
  secret: string
  /** The address that operators use; decides whether cookies are Secure. */
  publicUrl: string
  /** Told what went wrong within Better Auth. */
  complain: (message: string, causes: unknown[]) => void
}

export function createAuth({ database, secret, publicUrl, complain }: AuthSettings) {
  return betterAuth({
    appName: 'Recordhub',
    database: { dialect: database.dialect, type: database.type },
    secret,
    baseURL: publicUrl,
    basePath: '/api/auth',
    // The hub is reached by whatever name it has in its network; a page of another site is refused.
    trustedOrigins: (request) => (request ? [new URL(request.url).origin] : []),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      maxPasswordLength: 256,
    },
    user: {
      modelName: 'operators',
      additionalFields: { role: { type: 'string', required: false, input: false } },
      fields: {
        emailVerified: 'email_verified',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    session: {
      modelName: 'operator_sessions',
      expiresIn: SESSION_SECONDS,
      updateAge: SESSION_REFRESH_SECONDS,
      fields: {
        userId: 'operator_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    account: {
      modelName: 'operator_accounts',
      fields: {
        userId: 'operator_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'operator_verifications',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    rateLimit: {
      enabled: true,
      storage: 'database',
      modelName: 'sign_in_limits',
      fields: { lastRequest: 'last_request' },
      window: 60,
      max: 100,
      customRules: { '/sign-in/email': { window: 60, max: 10 } },
    },
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
  auth: Auth,
  headers: Headers,
  options: { keepAlive: boolean },
): Promise<SignedIn | null> {
  const found = await auth.api
    .getSession({ headers, query: { disableRefresh: !options.keepAlive } })
    .catch((error: unknown) => {
      // That the storage is away is told as such, and not as a failure to get a session.
      throw error instanceof Error && error.cause instanceof HubError ? error.cause : error
    })
  if (!found) return null
  const { id, email, name, role } = found.user
  return {
    operator: { id, email, name, role: role && isRole(role) ? role : 'viewer' },
    sessionId: found.session.id,
  }
}
