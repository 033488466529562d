import pRetry from 'p-retry'
import { diskFull, HubError, storageUnavailable } from '../../errors.ts'

/**
 * Error codes and classes (https://www.postgresql.org/docs/current/errcodes-appendix.html) of an unusable database:
 * connection failures, authorization, privileges, a missing database, read-only, insufficient resources, lock
 * timeouts, a server that starts or stops, system errors, corruption.
 */
const UNUSABLE = /^(08|25006|25P03|28|3D|42501|53|55P03|57|58|XX)/
/** Errors that the values of a row cause: data exceptions, constraints, and limits such as the size of an index row. */
const REJECTED_ROW = /^(22|23|54)/
/** Serialization failure and deadlock. */
const CONFLICT = new Set(['40001', '40P01'])
const DISK_FULL = '53100'
const INSUFFICIENT_PRIVILEGE = '42501'
const IDENTITY_INDEX = 'records_identity'
/** Node's codes for errors of sockets and name resolution, and messages of `pg` that have no code. */
const UNREACHABLE = /^(E[A-Z_]+|ERR_SOCKET.*)$/
const UNREACHABLE_MESSAGE =
  /Connection terminated|Connection ended|timeout|not queryable|Client (was|has) (closed|encountered)|pool after calling end/i

/** Whether PostgreSQL rejected the values of a row, so that other rows may still be stored. */
export function isRejectedRow(error: unknown): boolean {
  return REJECTED_ROW.test(codeOf(error))
}

/** Whether PostgreSQL aborted the transaction because of a concurrent one. */
export function isTransactionConflict(error: unknown): boolean {
  return CONFLICT.has(codeOf(error))
}

/** Whether a batch failed only because of a concurrent transaction, so that it can be retried. */
export function isRetryable(error: unknown): boolean {
  if (isTransactionConflict(error)) return true
  const isIdentityConflict =
    error instanceof Error && 'constraint' in error && error.constraint === IDENTITY_INDEX
  return codeOf(error) === '23505' && isIdentityConflict
}

/** Whether the database is unavailable, at least temporarily. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (UNUSABLE.test(code) || UNREACHABLE.test(code)) return true
  return code === '' && error instanceof Error && UNREACHABLE_MESSAGE.test(error.message)
}

/** Awaits work on a connection. Maps errors of an unavailable database to `disk_full` or `storage_unavailable`. */
export async function withMappedErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === DISK_FULL) throw diskFull(error)
    throw isUnavailable(error) ? storageUnavailable(error) : error
  }
}

/** Maps an error at startup. Explains a missing privilege, which only an administrator can grant. */
export function toStartupError(error: unknown): unknown {
  const cause = error instanceof HubError ? error.cause : error
  if (codeOf(cause) !== INSUFFICIENT_PRIVILEGE || !(cause instanceof Error)) return error
  const reason = `the user lacks privileges that the hub needs (${cause.message}); make it the owner of the database`
  return new HubError('database_rejected', { reason }, { cause })
}

/**
 * Whether a connection must be discarded: the server did not respond in time, or has become read-only while a new
 * connection may reach the new primary.
 */
export function isConnectionUnusable(error: unknown): boolean {
  const cause = error instanceof HubError ? error.cause : error
  if (!(cause instanceof Error)) return false
  return cause.message === 'Query read timeout' || codeOf(cause) === '25006'
}

/** Returns the SQLSTATE of an error, or its code in Node; empty if there is none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/** Each conflict means that another transaction has committed, so contention ends. */
const MAX_RETRIES = 99

/**
 * Runs a transaction, and retries it immediately after a conflict with another one.
 * @throws HubError `storage_unavailable` when the conflicts do not end.
 */
export async function withRetry<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await pRetry(work, {
      retries: MAX_RETRIES,
      minTimeout: 0,
      shouldRetry: ({ error }) => isRetryable(error),
    })
  } catch (error) {
    throw isRetryable(error) ? storageUnavailable(error) : error
  }
}
