import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { MissingReview } from '@recordhub/protocol'
import { IconHelpCircle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../api/call-hub.ts'
import { MISSING_REVIEWS, missingReviewPageQuery } from '../../api/missing-reviews.ts'
import { useTitles } from '../../api/platforms.ts'
import { attempt, confirm } from '../../components/confirm.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { useHasRole } from '../../lib/use-has-role.ts'

/** The open reviews of missing records of a pull. */
export function PendingReviews({ pullId }: { pullId: number }) {
  const { data } = useQuery(missingReviewPageQuery('state=pending'))
  const reviews = (data?.missing_reviews ?? []).filter(({ pull_id }) => pull_id === pullId)
  return reviews.map((review) => <PendingReview key={review.id} review={review} />)
}

function PendingReview({ review }: { review: MissingReview }) {
  const client = useQueryClient()
  const canOperate = useHasRole('operator')
  const { id, module_name, missing, records } = review
  const platform = useTitles().ofPlatform(review.platform_name)
  async function decide(verb: 'approve' | 'dismiss') {
    await callHub(`/api/v1/missing-reviews/${id}/${verb}`, { method: 'POST' })
    await client.invalidateQueries(MISSING_REVIEWS)
  }
  const confirmApproval = () =>
    confirm({
      title: 'Mark the records as missing?',
      children: `If the next full pull does not contain these ${formatCount(missing, 'record')} of ${module_name} (${platform}) either, they are marked as missing. None is deleted, and the mark is removed when a record comes back.`,
      action: 'Mark as missing',
      onConfirm: () => decide('approve'),
    })
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconHelpCircle />}
      title={`${formatNumber(missing)} of ${formatCount(records, 'record')} of ${module_name} missing`}
    >
      <Stack gap="xs">
        <Text size="sm">
          {platform} did not list them. Review these records before they are marked missing. If the
          platform had a fault, keep them unchanged.
        </Text>
        <PageLink
          size="sm"
          c="inherit"
          underline="always"
          to="/dashboard/activity"
          search={{ tab: 'missing', review: String(id) }}
        >
          {`View ${formatCount(missing, 'record')}`}
        </PageLink>
        {canOperate ? (
          <Group gap="xs">
            <Button size="xs" onClick={confirmApproval}>
              Mark as missing…
            </Button>
            <Button size="xs" variant="default" onClick={() => attempt(() => decide('dismiss'))}>
              Keep unchanged
            </Button>
          </Group>
        ) : (
          <Text size="xs" c="dimmed">
            Requires the operator role.
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
