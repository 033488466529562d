import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { RejectedPushStore } from '../../storage/port/rejected-push-store.ts'

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
        ? ['rejected_push.reopened', `${records} of ${platform} are no longer accepted.`]
        : [
            'rejected_push.accepted',
            `${records} of ${platform} were accepted as exceptions: known at the source, until it changes.`,
          ]
    return {
      activity: { level: 'info', kind, message, actor, details },
      audit: { ...requester, action: kind, target: platform, details },
    }
  })
  if (outcome === 'unknown') throw new HubError('not_found', { what: 'group of rejected records' })
  if (outcome === 'changed') throw new HubError('rejections_changed')
}
