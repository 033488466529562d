import { storageUnavailable } from '../../errors.ts'
import { isRetryable } from './map-error.ts'

/** High, because each conflict means that another transaction has made progress. */
const MAX_ATTEMPTS = 100

/**
 * Runs a transaction, and again after each conflict with a concurrent one.
 * @throws HubError `storage_unavailable` after the last attempt.
 */
export async function withRetry<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isRetryable(error)) throw error
      if (attempt === MAX_ATTEMPTS) throw storageUnavailable(error)
    }
  }
}
