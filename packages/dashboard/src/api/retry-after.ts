import { parseRetryAfter } from '@recordhub/protocol/retry-after'

/** The delay in the `Retry-After` header in seconds; 0 without a valid one. */
export function retryAfterSeconds(headers: Headers): number {
  const now = new Date(headers.get('Date') ?? Number.NaN)
  return Math.ceil((parseRetryAfter(headers.get('Retry-After') ?? '', now) ?? 0) / 1000)
}
