/** The header that passes the client's address to Better Auth, for its rate limits. */
export const CLIENT_ADDRESS_HEADER = 'x-recordhub-client-address'
export const AUTH_PATH = '/api/auth'
/** The name of Better Auth's session cookie. Behind TLS it has a prefix. */
export const SESSION_COOKIE = 'recordhub.session_token'

/** The name of the single sign-on provider in paths and in the database. */
export const OIDC = 'oidc'

// The names of Better Auth's tables and columns in the migrations of the hub.

export const USER = {
  modelName: 'operators',
  fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
} as const

export const SESSION = {
  modelName: 'operator_sessions',
  fields: {
    userId: 'operator_id',
    expiresAt: 'expires_at',
    ipAddress: 'ip_address',
    userAgent: 'user_agent',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
  },
} as const

export const ACCOUNT = {
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
} as const

export const VERIFICATION = {
  modelName: 'operator_verifications',
  fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
} as const

export const RATE_LIMIT = {
  modelName: 'sign_in_limits',
  fields: { lastRequest: 'last_request' },
} as const

export const SECOND_FACTOR = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'operator_second_factors',
    fields: {
      userId: 'operator_id',
      backupCodes: 'backup_codes',
      failedVerificationCount: 'failed_verifications',
      lockedUntil: 'locked_until',
    },
  },
}

export const PASSKEY = {
  passkey: {
    modelName: 'operator_passkeys',
    fields: {
      userId: 'operator_id',
      publicKey: 'public_key',
      credentialID: 'credential_id',
      deviceType: 'device_type',
      backedUp: 'backed_up',
      createdAt: 'created_at',
    },
  },
}
