import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import type { MissingReview, MissingReviewState } from '@recordhub/protocol'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { MISSING_REVIEWS } from '../../../api/missing-reviews.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../texts.tsx'
import { ReviewRecords } from './review-records.tsx'

const STATES: Readonly<Record<MissingReviewState, { label: string; status: string }>> = {
  pending: { label: TEXTS.needsReview, status: 'open' },
  approved: { label: TEXTS.approvedAwaitingPull, status: 'running' },
  dismissed: { label: TEXTS.dismissed, status: 'cancelled' },
  marked: { label: TEXTS.markedAsMissing, status: 'succeeded' },
  resolved: { label: TEXTS.resolvedRecordsBack, status: 'succeeded' },
  superseded: { label: TEXTS.replacedNewerReview, status: 'cancelled' },
}

/** The two decisions, with the text of their confirmations. */
const DECISIONS = {
  approve: {
    title: TEXTS.markAsMissingTitle,
    message: (count: string) => TEXTS.markAsMissingMessage(count),
    action: TEXTS.markAsMissing,
    done: TEXTS.markAsMissingDone,
  },
  dismiss: {
    title: TEXTS.keepUnchangedTitle,
    message: (count: string) => TEXTS.keepUnchangedMessage(count),
    action: TEXTS.keepUnchanged,
    done: TEXTS.keepUnchangedDone,
  },
} as const

export function ReviewCard({ review }: { review: MissingReview }) {
  const [isShown, setShown] = useState(review.state === 'pending')
  const { missing, records, module_name, record_type, platform_name, pull_id, state } = review
  const percent = records === 0 ? 0 : Math.round((100 * missing) / records)
  const { label, status } = STATES[state]
  return (
    <Card withBorder padding="md" component="article">
      <Group gap="xs">
        <StatusBadge status={status} label={label} />
        <Title order={2} fz="md">
          {TEXTS.ofMissing(formatNumber(missing), formatCount(records, 'record'), percent)}
        </Title>
      </Group>
      <Stack gap={6} mt="xs">
        <Group gap={6}>
          <Text size="sm">{TEXTS.moduleOf(module_name)}</Text>
          <PlatformLink name={platform_name} />
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/dashboard/pulls/$id" params={{ id: String(pull_id) }} {...props} />
            )}
          >
            {TEXTS.pullLink(pull_id)}
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
            {TEXTS.viewRecords}
          </Anchor>
        </Group>
        <Text size="xs" c="dimmed">
          {TEXTS.openedAt(
            <Time at={review.at} />,
            review.decided_at !== null &&
              TEXTS.reviewedAtBy(
                <Time at={review.decided_at} />,
                <OperatorName by={review.decided_by} />,
              ),
            review.closed_at !== null && <>{TEXTS.closedAt(<Time at={review.closed_at} />)}</>,
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
          {`${isShown ? TEXTS.hide : TEXTS.show} ${formatCount(missing, 'record')}`}
        </Button>
        {isShown && <ReviewRecords review={review} />}
        {review.closed_at === null && <Decisions review={review} />}
      </Stack>
    </Card>
  )
}

function Decisions({ review }: { review: MissingReview }) {
  const canOperate = useHasRole('operator')
  const client = useQueryClient()
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed">
        {TEXTS.requiresOperatorRole}
      </Text>
    )
  }
  const decide = (verb: keyof typeof DECISIONS) => {
    const { title, message, action, done } = DECISIONS[verb]
    confirm({
      title,
      children: message(formatCount(review.missing, 'record')),
      action,
      color: 'blue',
      async onConfirm() {
        await callHub(`/api/v1/missing-reviews/${review.id}/${verb}`, { method: 'POST' })
        notify(done)
        await client.invalidateQueries(MISSING_REVIEWS)
      },
    })
  }
  return (
    <Group gap="xs" mt={4}>
      {review.state !== 'approved' && (
        <Button size="xs" onClick={() => decide('approve')}>
          {TEXTS.markAsMissingAction}
        </Button>
      )}
      {review.state !== 'dismissed' && (
        <Button size="xs" variant="default" onClick={() => decide('dismiss')}>
          {TEXTS.keepUnchangedAction}
        </Button>
      )}
    </Group>
  )
}
