/** The header in which the hub hands Better Auth the client's address, for its limits on guesses. */
export const CLIENT_ADDRESS_HEADER = 'x-recordhub-client-address'
export const AUTH_PATH = '/api/auth'
/** As Better Auth names it; behind TLS with a prefix. */
export const SESSION_COOKIE = 'recordhub.session_token'
