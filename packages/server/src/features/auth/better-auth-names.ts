/** The header that passes the client's address to Better Auth, for its rate limits. */
export const CLIENT_ADDRESS_HEADER = 'x-recordhub-client-address'
export const AUTH_PATH = '/api/auth'
/** The name of Better Auth's session cookie. Behind TLS it has a prefix. */
export const SESSION_COOKIE = 'recordhub.session_token'
