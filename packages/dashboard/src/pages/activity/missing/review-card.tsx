import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import type { MissingReview, MissingReviewState } from '@recordhub/protocol'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { queriesOf } from '../../../api/get-query.ts'
import { missingReviewPageQuery, missingReviewQuery } from '../../../api/inbox.ts'
import { confirm, notify, useAttempt } from '../../../components/confirm.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PageLink, PullLink } from '../../../components/page-link.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'
import { ReviewRecords } from './review-records.tsx'

const STATES: Readonly<Record<MissingReviewState, { label: string; status: string }>> = {
  pending: { label: TEXTS.needsReview, status: 'open' },
  approved: { label: 'Approved, awaiting the next full pull', status: 'running' },
  dismissed: { label: TEXTS.dismissed, status: 'cancelled' },
  marked: { label: 'Marked as missing', status: 'succeeded' },
  resolved: { label: 'Resolved: the records are back', status: 'succeeded' },
  superseded: { label: 'Replaced by a newer review', status: 'cancelled' },
}

export function OneReview({ id }: { id: string }) {
  const query = useQuery(missingReviewQuery(id))
  return (
    <Loaded query={query} errorTitle="The review could not be read">
      {({ missing_review }) => (
        <>
          <ReviewCard review={missing_review} />
          {missing_review.state === 'pending' && <SamePull review={missing_review} />}
        </>
      )}
    </Loaded>
  )
}

/** Decides the open reviews of one pull together, because they have one cause. */
function SamePull({ review: { platform_name, pull_id } }: { review: MissingReview }) {
  const { data } = useQuery(missingReviewPageQuery({ state: 'pending', platform: platform_name }))
  const reviews = (data?.missing_reviews ?? []).filter((one) => one.pull_id === pull_id)
  if (reviews.length < 2) return null
  const modules = reviews.map((one) => `${one.module_name} (${formatNumber(one.missing)})`)
  return (
    <Card withBorder padding="md" component="section" aria-label="Reviews of the same pull" mt="md">
      <Text size="sm">{`The same pull did not list records of ${modules.join(', ')}.`}</Text>
      <Decisions reviews={reviews} />
    </Card>
  )
}

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
          {`${formatNumber(missing)} of ${formatCount(records, 'record')} missing (${percent} %)`}
        </Title>
      </Group>
      <Stack gap={6} mt="xs">
        <Group gap={6}>
          <Text size="sm">{`${module_name} of`}</Text>
          <PlatformLink name={platform_name} />
          <PullLink id={pull_id} size="sm" />
          <PageLink
            size="sm"
            to="/dashboard/records"
            search={{ platform: platform_name, record_type }}
          >
            {TEXTS.viewRecords}
          </PageLink>
        </Group>
        <Text size="xs" c="dimmed">
          Opened <Time at={review.at} />
          {review.decided_at !== null && (
            <>
              , reviewed <Time at={review.decided_at} /> by <OperatorName by={review.decided_by} />
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
          {`${isShown ? 'Hide' : 'Show'} ${formatCount(missing, 'record')}`}
        </Button>
        {isShown && <ReviewRecords review={review} />}
        {review.closed_at === null && <Decisions reviews={[review]} />}
      </Stack>
    </Card>
  )
}

/** Marks the records of open reviews as missing, after a confirmation, or keeps them unchanged. */
export function Decisions({ reviews }: { reviews: readonly MissingReview[] }) {
  const canOperate = useHasRole('operator')
  const client = useQueryClient()
  const { isBusy, run } = useAttempt()
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed">
        {TEXTS.requiresOperatorRole}
      </Text>
    )
  }
  const decide = async (verb: 'approve' | 'dismiss', done: string) => {
    try {
      for (const { id } of reviews) {
        await callHub(`/api/v1/missing-reviews/${id}/${verb}`, { method: 'POST' })
      }
      notify(done)
    } finally {
      // Also after a failure: earlier ones are decided.
      await client.invalidateQueries(queriesOf('GET /api/v1/missing-reviews'))
      await client.invalidateQueries(queriesOf('GET /api/v1/inbox'))
    }
  }
  const missing = reviews.reduce((sum, one) => sum + one.missing, 0)
  const isAny = (state: MissingReviewState) => reviews.some((one) => one.state === state)
  const all = reviews.length > 1 ? ` ${formatNumber(reviews.length)} modules` : ''
  return (
    <Group gap="xs" mt={4}>
      {!isAny('approved') && (
        <Button
          size="xs"
          onClick={() =>
            confirm({
              title: 'Mark the records as missing?',
              children: `If the next full pull does not contain these ${formatCount(missing, 'record')} either, they are marked as missing. They stay stored and searchable, and the mark is removed when they come back.`,
              action: 'Mark as missing',
              color: 'blue',
              onConfirm: () =>
                decide(
                  'approve',
                  'Approved. The next full pull marks those that it does not contain.',
                ),
            })
          }
        >
          {all === '' ? 'Mark as missing…' : `Mark the records of${all} as missing…`}
        </Button>
      )}
      {!isAny('dismissed') && (
        <Button
          size="xs"
          variant="default"
          title="The hub opens no new review while the same records are missing."
          loading={isBusy}
          onClick={() => void run(() => decide('dismiss', 'Dismissed. The records are unchanged.'))}
        >
          {all === '' ? 'Keep unchanged' : `Keep${all} unchanged`}
        </Button>
      )}
    </Group>
  )
}
