import pRetry from 'p-retry'
import { storageUnavailable } from '../../errors.ts'
import { isRetryable } from './map-error.ts'

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
