import type { Requester } from '../../domain/activity/activity.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type {
  RejectedPushFilter,
  RejectedPushStore,
} from '../../storage/port/rejected-push-store.ts'

/** Maximum number deleted in one transaction, during which other writes of rejected pushes wait. */
const STEP = 500

type DismissDeps = {
  rejectedPushes: Pick<RejectedPushStore, 'dismissRejectedPushes'>
  clock: Clock
}

/**
 * Deletes the selected rejected pushes that exist at the start of the call, in steps. If it is interrupted, the rest
 * remains.
 * @returns the number of deleted ones.
 */
export async function dismissRejectedPushes(
  { rejectedPushes, clock }: DismissDeps,
  selection: RejectedPushFilter & { id: number | null },
  requester: Requester,
): Promise<number> {
  const { id, ...filter } = selection
  const at = clock.now().toISOString()
  const criteria = Object.entries(selection).filter(([, value]) => value !== null)
  const details = Object.fromEntries(criteria)
  const log = {
    activity: {
      level: 'info',
      kind: 'rejected_push.dismissed',
      message: `Rejected pushes were dismissed: ${criteria.map(([name, value]) => `${name} ${value}`).join(', ')}`,
      actor: requester.actor,
      details,
    },
    audit: { ...requester, action: 'rejected_push.dismiss', target: selection.platform, details },
  } as const
  let dismissed = 0
  for (;;) {
    const count = await rejectedPushes.dismissRejectedPushes(
      { ...filter, id, until: at, limit: STEP },
      at,
      dismissed === 0 ? log : null,
    )
    dismissed += count
    if (count < STEP) return dismissed
    // Pushes that have arrived in the meantime must not wait until the end.
    await yieldToEventLoop()
  }
}
