import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { MissingReview } from '@recordhub/protocol'
import { IconHelpCircle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../api/call-hub.ts'
import { MISSING_REVIEWS, missingReviewPageQuery } from '../../api/missing-reviews.ts'
import { useTitles } from '../../api/platforms.ts'
import { mayActAs, session } from '../../api/session.ts'
import { attempt, confirm } from '../../components/confirm.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { useStore } from '../../lib/use-store.ts'

/** The questions about missing records that a pull has raised and nobody has answered. */
export function PendingReviews({ pullId }: { pullId: number }) {
  const { data } = useQuery(missingReviewPageQuery('state=pending'))
  const reviews = (data?.missing_reviews ?? []).filter(({ pull_id }) => pull_id === pullId)
  return reviews.map((review) => <PendingReview key={review.id} review={review} />)
}

function PendingReview({ review }: { review: MissingReview }) {
  const client = useQueryClient()
  const may = mayActAs(useStore(session).operator?.role, 'operator')
  const { id, module_name, missing, records } = review
  const platform = useTitles().ofPlatform(review.platform_name)
  async function answer(verb: 'approve' | 'dismiss') {
    await callHub(`/api/v1/missing-reviews/${id}/${verb}`, { method: 'POST' })
    await client.invalidateQueries(MISSING_REVIEWS)
  }
  const askToApprove = () =>
    confirm({
      title: 'Mark the records as missing?',
      children: `The next complete read marks ${formatCount(missing, 'record')} of ${module_name} (${platform}) as missing, if they are still gone. None is deleted, and one that comes back loses its mark.`,
      action: 'Mark as missing',
      onConfirm: () => answer('approve'),
    })
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconHelpCircle />}
      title={`${formatNumber(missing)} of ${formatCount(records, 'record')} of ${module_name} did not come. Are they gone?`}
    >
      <Stack gap="xs">
        <Text size="sm">
          {platform} answered without them. If they were deleted there, let the hub mark them as
          missing. If the platform had a fault, leave them as they are.
        </Text>
        <PageLink
          size="sm"
          c="inherit"
          underline="always"
          to="/dashboard/activity"
          search={{ tab: 'missing', review: String(id) }}
        >
          {`View the ${formatCount(missing, 'record')}`}
        </PageLink>
        {may ? (
          <Group gap="xs">
            <Button size="xs" onClick={askToApprove}>
              They are gone
            </Button>
            <Button size="xs" variant="default" onClick={() => attempt(() => answer('dismiss'))}>
              Leave them as they are
            </Button>
          </Group>
        ) : (
          <Text size="xs" c="dimmed">
            An operator has to answer.
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
