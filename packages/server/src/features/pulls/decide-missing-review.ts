import type { MissingReview } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { MissingStore } from '../../storage/port/missing-store.ts'

const EFFECTS = {
  approved: 'The next complete pull marks those that are still missing.',
  dismissed: 'They are not marked as long as the same records are missing.',
} as const

/**
 * Records the decision of an operator about a review of missing records. The decision may change until the review is
 * closed.
 * @throws HubError `not_found`, or `missing_review_closed`.
 */
export async function decideMissingReview(
  deps: { missing: Pick<MissingStore, 'readReview' | 'decideReview'>; clock: Clock },
  decision: { review_id: number; state: keyof typeof EFFECTS },
  requester: Requester,
): Promise<MissingReview> {
  const { review_id, state } = decision
  const open = await deps.missing.readReview(review_id)
  if (!open) throw new HubError('not_found', { what: 'review' })
  const { missing, records, module_name, platform_name, record_type } = open
  const details = { missing_review_id: review_id, record_type, missing, records }
  const review = await deps.missing.decideReview(
    { ...decision, by: requester.actor, at: deps.clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: `missing.${state}`,
        message: `The review of ${missing} missing records of ${records} of ${module_name} of ${platform_name} was ${state}. ${EFFECTS[state]}`,
        actor: requester.actor,
        details,
      },
      audit: { ...requester, action: `missing_review.${state}`, target: platform_name, details },
    },
  )
  if (!review) throw new HubError('not_found', { what: 'review' })
  if (review.closed_at !== null) {
    throw new HubError('missing_review_closed', { state: review.state })
  }
  return review
}
