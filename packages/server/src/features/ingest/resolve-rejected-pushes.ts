import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
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

/**
 * Accepts the rejected records of a cause as exceptions, "known at the source, until it changes". With a digest of null,
 * opens them again.
 * @throws HubError `not_found`, or `rejections_changed` if the operator has seen other records.
 */
export async function acceptRejections(
  { rejectedPushes }: { rejectedPushes: Pick<RejectedPushStore, 'acceptRejections'> },
  group: { platform: string; cause: string; digest: string | null },
  requester: Requester,
): Promise<void> {
  const { platform, digest } = group
  const { actor } = requester
  const outcome = await rejectedPushes.acceptRejections({ ...group, by: actor }, (count) => {
    const details = { ...group, count }
    const records = count === 1 ? '1 rejected record' : `${count} rejected records`
    const [kind, message] =
      digest === null
        ? (['rejected_push.reopened', `${records} of ${platform} are no longer accepted.`] as const)
        : ([
            'rejected_push.accepted',
            `${records} of ${platform} were accepted as exceptions: known at the source, until it changes.`,
          ] as const)
    return {
      activity: { level: 'info', kind, message, actor, details },
      audit: { ...requester, action: kind, target: platform, details },
    }
  })
  if (outcome === 'unknown') throw new HubError('not_found', { what: 'group of rejected records' })
  if (outcome === 'changed') throw new HubError('rejections_changed')
}
