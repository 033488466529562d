import type { Requester } from '../../domain/activity/activity.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type {
  RejectedPushFilter,
  RejectedPushStore,
} from '../../storage/port/rejected-push-store.ts'

/** Forgotten in one transaction: others that keep rejected pushes wait for no more than this. */
const STEP = 500

type DismissParts = {
  rejectedPushes: Pick<RejectedPushStore, 'dismissRejectedPushes'>
  clock: Clock
}

/**
 * Forgets all that are meant and are there when it begins, step by step; where it is cut off, the rest
 * stays.
 * @returns how many there were.
 */
export async function dismissRejectedPushes(
  { rejectedPushes, clock }: DismissParts,
  meant: RejectedPushFilter & { id: number | null },
  requester: Requester,
): Promise<number> {
  const { id, ...filter } = meant
  const at = clock.now().toISOString()
  const named = Object.entries(meant).filter(([, value]) => value !== null)
  const words = named.map(([name, value]) => `${name} ${value}`).join(', ')
  const details = Object.fromEntries(named)
  const log = {
    activity: {
      level: 'info',
      kind: 'rejected_push.dismissed',
      message: `Rejected pushes were dismissed: ${words}`,
      actor: requester.actor,
      details,
    },
    audit: { ...requester, action: 'rejected_push.dismiss', target: meant.platform, details },
  } as const
  let dismissed = 0
  for (;;) {
    const query = { ...filter, id, until: at, limit: STEP }
    const count = await rejectedPushes.dismissRejectedPushes(
      query,
      at,
      dismissed === 0 ? log : null,
    )
    dismissed += count
    if (count < STEP) return dismissed
    // Pushes have come meanwhile; they must not wait to the end.
    await yieldToEventLoop()
  }
}
