import { HubError, storageUnavailable } from '../../errors.ts'

/**
 * Classes and codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 * Unusable: connection trouble, authorization, rights, a missing database, read-only, resources, locks that
 * are not got, the server's shutting down or starting, system errors, damage.
 */
const UNUSABLE = /^(08|25006|25P03|28|3D|42501|53|55P03|57|58|XX)/
/** What one row holds: data exceptions, constraints, and program limits such as an index row's size. */
const REFUSED_ROW = /^(22|23|54)/
/** Another transaction came between; trying again finds what it left. */
const CAME_BETWEEN = new Set(['40001', '40P01'])
const NOT_ALLOWED = '42501'
const IDENTITY_INDEX = 'records_identity'
/** Errors of sockets and names that Node gives, and of `pg` where it has no code. */
const AWAY = /^(E[A-Z_]+|ERR_SOCKET.*)$/
const AWAY_WORDS =
  /Connection terminated|Connection ended|timeout|not queryable|Client (was|has) (closed|encountered)|pool after calling end/i

/** Whether PostgreSQL refused what one row holds, so that other rows may well be stored. */
export function isRejectedRow(error: unknown): boolean {
  return REFUSED_ROW.test(codeOf(error))
}

/** Whether a transaction was given up for another's sake. */
export function isTransactionConflict(error: unknown): boolean {
  return CAME_BETWEEN.has(codeOf(error))
}

/** Whether a batch failed only because another transaction came between, and may be tried again. */
export function isRetryable(error: unknown): boolean {
  if (isTransactionConflict(error)) return true
  const isInsertedMeanwhile =
    error instanceof Error && 'constraint' in error && error.constraint === IDENTITY_INDEX
  return codeOf(error) === '23505' && isInsertedMeanwhile
}

/** Whether the database cannot be used at all, at least for now. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (UNUSABLE.test(code) || AWAY.test(code)) return true
  return code === '' && error instanceof Error && AWAY_WORDS.test(error.message)
}

/** Awaits work on a connection; what PostgreSQL cannot do at all comes out as `storage_unavailable`. */
export async function withMappedErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw isUnavailable(error) ? storageUnavailable(error) : error
  }
}

/** What an error at the start comes down to: what the user may not do is for a person to mend. */
export function toStartupError(error: unknown): unknown {
  const cause = error instanceof HubError ? error.cause : error
  if (codeOf(cause) !== NOT_ALLOWED || !(cause instanceof Error)) return error
  const reason = `the user may not do what the hub needs (${cause.message}); make it the owner of the database`
  return new HubError('database_refused', { reason }, { cause })
}

/**
 * Whether a connection is of no use any more: it did not answer in time, or is one on which nothing can
 * be written, while a new one may well lead to the server that has taken over.
 */
export function isConnectionUnusable(error: unknown): boolean {
  const cause = error instanceof HubError ? error.cause : error
  if (!(cause instanceof Error)) return false
  return cause.message === 'Query read timeout' || codeOf(cause) === '25006'
}

/** The SQLSTATE, or Node's code; empty where there is none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
