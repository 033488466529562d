import { storageUnavailable } from '../../errors.ts'
import { isRetryable } from './map-error.ts'

/** Each time the transaction that came between has got through, so that somebody always does. */
const MAX_TRIES = 100

/**
 * Does the work of a transaction, and again where another one came between.
 * @throws HubError `storage_unavailable` where that does not end.
 */
export async function withRetry<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isRetryable(error)) throw error
      if (tries === MAX_TRIES) throw storageUnavailable(error)
    }
  }
}
