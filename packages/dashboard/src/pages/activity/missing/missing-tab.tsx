import { Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { missingReviewPageQuery, missingReviewQuery } from '../../../api/missing-reviews.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Pager } from '../../../components/pager.tsx'
import { queryText } from '../../../lib/query-text.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { ListSkeleton } from '../list-skeleton.tsx'
import { StateControl } from '../state-control.tsx'
import { ReviewCard } from './review-card.tsx'

const STATES = [
  { value: 'pending', label: 'To answer' },
  { value: 'approved', label: 'Approved' },
  { value: 'dismissed', label: 'Dismissed' },
  { value: 'all', label: 'All' },
]

/** Reviews of many missing records; only one of them where the URL names it. */
export function MissingTab() {
  const [{ review }] = useUrlState()
  return review ? <OneReview id={review} /> : <ReviewList />
}

function OneReview({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(missingReviewQuery(id))
  return (
    <Stack gap="md">
      <PageLink size="sm" to="/dashboard/activity" search={{ tab: 'missing' }}>
        All reviews of missing records
      </PageLink>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !data && <ListSkeleton height={130} rows={2} />}
      {data && <ReviewCard review={data.missing_review} />}
    </Stack>
  )
}

function ReviewList() {
  const [state] = useUrlState()
  const { state: shown = 'pending' } = state
  const query = queryText(state, ['cursor'], shown === 'all' ? {} : { state: shown })
  const { data, error, refetch, isPlaceholderData } = useQuery(missingReviewPageQuery(query))
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={760}>
        A platform that suddenly lists far fewer records may have deleted them, or may have a fault.
        The hub then marks none as missing and asks here first. Whatever the answer, no record is
        deleted.
      </Text>
      <Group>
        <StateControl label="Which questions" choices={STATES} />
      </Group>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !data && <ListSkeleton height={130} rows={2} />}
      {data?.missing_reviews.map((review) => (
        <ReviewCard key={review.id} review={review} />
      ))}
      {data?.missing_reviews.length === 0 && (
        <EmptyState
          icon={<IconCircleCheck />}
          title={
            shown === 'pending' ? 'No question waits for an answer' : 'There are none of these'
          }
        >
          When many records of a module do not come in a complete read, the question stands here.
        </EmptyState>
      )}
      {data && <Pager next={data.next_cursor} isLate={isPlaceholderData} />}
    </Stack>
  )
}
