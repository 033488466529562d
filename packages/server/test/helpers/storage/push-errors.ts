/** Counts of requests that the receiver rejected, for tests of the storage. */
import type { PushErrorCount } from '../../../src/domain/activity/push-errors.ts'

/** One request with an invalid key; its address differs with the number. */
export function pushErrorAt(
  at: string,
  number = 1,
  over: Partial<PushErrorCount> = {},
): PushErrorCount {
  return {
    hour: at.slice(0, 13),
    reason: 'key_invalid',
    platform_id: null,
    key_hint: 'rhk_wro…',
    address: `192.0.2.${number}`,
    requests: 1,
    last_at: at,
    ...over,
  }
}
