import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { MissingReview, Pull, PullTask } from '@recordhub/protocol'
import { IconHelpCircle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../api/call-hub.ts'
import { MISSING_REVIEWS, missingReviewPageQuery } from '../../api/missing-reviews.ts'
import { useTitles } from '../../api/platforms.ts'
import { attempt, confirm } from '../../components/confirm.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from './texts.tsx'

/** The open reviews of missing records that a pull created, or whose records it did not contain either. */
export function PendingReviews({ pull, tasks }: { pull: Pull; tasks: PullTask[] }) {
  const { data } = useQuery(missingReviewPageQuery('state=pending', pull.finished_at))
  const isNotListed = ({ platform_name, record_type }: MissingReview) =>
    tasks.some(
      (task) =>
        task.not_listed > 0 &&
        task.platform_name === platform_name &&
        task.record_type === record_type,
    )
  const reviews = (data?.missing_reviews ?? []).filter(
    (review) => review.pull_id === pull.id || isNotListed(review),
  )
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
      title: TEXTS.markAsMissingTitle,
      children: TEXTS.markAsMissingMessage(formatCount(missing, 'record'), module_name, platform),
      action: TEXTS.markAsMissing,
      onConfirm: () => decide('approve'),
    })
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconHelpCircle />}
      title={TEXTS.missingReviewTitle(
        formatNumber(missing),
        formatCount(records, 'record'),
        module_name,
      )}
    >
      <Stack gap="xs">
        <Text size="sm">{TEXTS.missingReviewHint(platform)}</Text>
        <PageLink
          size="sm"
          c="inherit"
          underline="always"
          to="/dashboard/inbox"
          search={{ tab: 'missing', review: String(id) }}
        >
          {TEXTS.viewRecordCount(formatCount(missing, 'record'))}
        </PageLink>
        {canOperate ? (
          <Group gap="xs">
            <Button size="xs" onClick={confirmApproval}>
              {TEXTS.markAsMissingAction}
            </Button>
            <Button size="xs" variant="default" onClick={() => attempt(() => decide('dismiss'))}>
              {TEXTS.keepUnchanged}
            </Button>
          </Group>
        ) : (
          <Text size="xs" c="dimmed">
            {TEXTS.requiresOperatorRole}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
