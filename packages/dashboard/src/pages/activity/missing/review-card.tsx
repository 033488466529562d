import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import type { MissingReview, MissingReviewState } from '@recordhub/protocol'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { MISSING_REVIEWS } from '../../../api/missing-reviews.ts'
import { mayActAs, session } from '../../../api/session.ts'
import { confirm, tell } from '../../../components/confirm.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import { useStore } from '../../../lib/use-store.ts'
import { PlatformLink } from '../platform-link.tsx'
import { ReviewRecords } from './review-records.tsx'

const STATES: Readonly<Record<MissingReviewState, { words: string; status: string }>> = {
  pending: { words: 'Waits for an answer', status: 'open' },
  approved: { words: 'Approved, waits for the next complete read', status: 'running' },
  dismissed: { words: 'Dismissed', status: 'cancelled' },
  marked: { words: 'Marked as approved', status: 'succeeded' },
  settled: { words: 'Settled by itself', status: 'succeeded' },
  superseded: { words: 'Replaced by a newer question', status: 'cancelled' },
}

/** What each answer does, said before it is given. */
const ANSWERS = {
  approve: {
    title: 'Approve: they are gone',
    words: (count: string) =>
      `When the next complete read does not bring these ${count} either, they are marked as missing. They stay stored, can be found and exported, and lose the mark when they come back.`,
    action: 'Approve',
    done: 'Approved. The next complete read marks them.',
  },
  dismiss: {
    title: 'Dismiss: leave them as they are',
    words: (count: string) =>
      `These ${count} stay as they are, without a mark. While the same ones are gone, the hub does not ask again.`,
    action: 'Dismiss',
    done: 'Dismissed. The records stay as they are.',
  },
} as const

export function ReviewCard({ review }: { review: MissingReview }) {
  const [isShown, setShown] = useState(review.state === 'pending')
  const { missing, records, module_name, record_type, platform_name, pull_id, state } = review
  const percent = records === 0 ? 0 : Math.round((100 * missing) / records)
  const { words, status } = STATES[state]
  return (
    <Card withBorder padding="md" component="article">
      <Group gap="xs">
        <StatusBadge status={status} label={words} />
        <Title order={2} fz="md">
          {formatNumber(missing)} of {formatCount(records, 'record')} did not come ({percent} %)
        </Title>
      </Group>
      <Stack gap={6} mt="xs">
        <Group gap={6}>
          <Text size="sm">{module_name} of</Text>
          <PlatformLink name={platform_name} />
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/dashboard/pulls/$id" params={{ id: String(pull_id) }} {...props} />
            )}
          >
            Pull {pull_id}
          </Anchor>
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                to="/dashboard/records"
                search={{ platform: platform_name, record_type }}
                {...props}
              />
            )}
          >
            Records of the module
          </Anchor>
        </Group>
        <Text size="xs" c="dimmed">
          Asked <Time at={review.at} />
          {review.answered_at !== null && (
            <>
              , answered <Time at={review.answered_at} /> by{' '}
              <OperatorName by={review.answered_by} />
            </>
          )}
          {review.closed_at !== null && (
            <>
              , closed <Time at={review.closed_at} />
            </>
          )}
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          style={{ alignSelf: 'flex-start' }}
          leftSection={isShown ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {`${isShown ? 'Hide' : 'Show'} the ${formatCount(missing, 'record')}`}
        </Button>
        {isShown && <ReviewRecords review={review} />}
        {review.closed_at === null && <Answers review={review} />}
      </Stack>
    </Card>
  )
}

function Answers({ review }: { review: MissingReview }) {
  const { operator } = useStore(session)
  const client = useQueryClient()
  if (!mayActAs(operator?.role, 'operator')) {
    return (
      <Text size="xs" c="dimmed">
        Answering takes the role operator.
      </Text>
    )
  }
  const answer = (verb: keyof typeof ANSWERS) => {
    const { title, words, action, done } = ANSWERS[verb]
    confirm({
      title,
      children: words(formatCount(review.missing, 'record')),
      action,
      color: 'blue',
      async onConfirm() {
        await callHub(`/api/v1/missing-reviews/${review.id}/${verb}`, { method: 'POST' })
        tell(done)
        await client.invalidateQueries(MISSING_REVIEWS)
      },
    })
  }
  return (
    <Group gap="xs" mt={4}>
      {review.state !== 'approved' && (
        <Button size="xs" onClick={() => answer('approve')}>
          Approve…
        </Button>
      )}
      {review.state !== 'dismissed' && (
        <Button size="xs" variant="default" onClick={() => answer('dismiss')}>
          Dismiss…
        </Button>
      )}
    </Group>
  )
}
