/** The metrics of requests to platforms. */
import type { FailedAttempt } from '../../domain/pull/retry.ts'
import type { MetricsRegistry } from '../../lib/metrics/registry.ts'

export type RequestMetrics = {
  /** @param status null if there was no response. */
  countResponse: (status: number | null) => void
  /** @param failed the attempt before the retry. */
  countRetry: (failed: FailedAttempt) => void
}

const RESULTS = ['2xx', '3xx', '4xx', '5xx', 'no_response'] as const
const REASONS = ['429', '502', '503', '504', 'refused', 'closed'] as const

export function createRequestMetrics(registry: MetricsRegistry): RequestMetrics {
  const requests = registry.counters({
    name: 'recordhub_platform_requests_total',
    help: 'Requests to platforms by the class of the response status. Each retry is a request.',
    ...{ label: 'result', values: RESULTS },
  })
  const retries = registry.counters({
    name: 'recordhub_platform_request_retries_total',
    help: 'Retries of requests to platforms, by the status of the failed attempt. refused, closed: the platform refused or closed the connection.',
    ...{ label: 'reason', values: REASONS },
  })
  return {
    countResponse(status) {
      const result = RESULTS.find((one) => one[0] === String(status)[0])
      requests[status === null ? 'no_response' : (result ?? '5xx')].add()
    },
    countRetry(failed) {
      const found = 'network' in failed ? failed.network : String(failed.status)
      const reason = REASONS.find((one) => one === found)
      if (reason) retries[reason].add()
    },
  }
}
