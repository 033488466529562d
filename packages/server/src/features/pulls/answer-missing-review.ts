import type { MissingReview } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { MissingStore } from '../../storage/port/missing-store.ts'

const WORDS = {
  approved: {
    verb: 'approved',
    after: 'The next complete read marks those that are gone still.',
  },
  dismissed: { verb: 'dismissed', after: 'They stay as they are while the same ones are gone.' },
} as const

/**
 * Gives an operator's answer to the question whether so many records are gone. An answer may be changed
 * until the question is closed.
 * @throws HubError `not_found`, or `missing_review_closed`.
 */
export async function answerMissingReview(
  parts: { missing: Pick<MissingStore, 'readReview' | 'answerReview'>; clock: Clock },
  answer: { review_id: number; state: keyof typeof WORDS },
  requester: Requester,
): Promise<MissingReview> {
  const asked = await parts.missing.readReview(answer.review_id)
  if (!asked) throw new HubError('not_found', { what: 'question' })
  const { verb, after } = WORDS[answer.state]
  const { missing, records, module_name, platform_name, record_type } = asked
  const review = await parts.missing.answerReview(
    { ...answer, by: requester.actor, at: parts.clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: `missing.${verb}`,
        message: `That ${missing} of ${records} records of ${module_name} of ${platform_name} are gone was ${verb}. ${after}`,
        actor: requester.actor,
        details: { missing_review_id: answer.review_id, record_type, missing, records },
      },
      audit: {
        ...requester,
        action: `missing_review.${verb}`,
        target: platform_name,
        details: { missing_review_id: answer.review_id, record_type, missing, records },
      },
    },
  )
  if (!review) throw new HubError('not_found', { what: 'question' })
  if (review.closed_at !== null) {
    throw new HubError('missing_review_closed', { state: review.state })
  }
  return review
}
