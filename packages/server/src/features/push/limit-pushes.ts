import { HubError } from '../../errors.ts'

/**
 * Limits each platform's pushes by the second.
 * @returns a function that throws HubError `too_many_requests` for a push over the limit.
 */
export function createPushLimit(ratePerSecond: number): (platformId: number) => void {
  const counts = new Map<number, number>()
  let second = 0
  return (platformId) => {
    if (ratePerSecond === 0) return
    const current = Math.floor(performance.now() / 1000)
    if (current !== second) {
      counts.clear()
      second = current
    }
    const count = (counts.get(platformId) ?? 0) + 1
    counts.set(platformId, count)
    if (count > ratePerSecond) {
      throw new HubError('too_many_requests', { seconds: 1 }, { retryAfterSeconds: 1 })
    }
  }
}
