import { Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { missingReviewPageQuery } from '../../../api/missing-reviews.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Pager } from '../../../components/pager.tsx'
import { toQueryString } from '../../../lib/query-string.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { ListSkeleton } from '../list-skeleton.tsx'
import { StateControl } from '../state-control.tsx'
import { TEXTS } from '../texts.tsx'
import { OneReview, ReviewCard } from './review-card.tsx'

const STATES = [
  { value: 'pending', label: TEXTS.needsReview },
  { value: 'approved', label: 'Approved' },
  { value: 'dismissed', label: TEXTS.dismissed },
  { value: 'all', label: TEXTS.all },
]

/** Reviews of missing records, or the one in the URL. */
export function MissingTab() {
  const [{ review }] = useUrlState()
  if (!review) return <ReviewList />
  return (
    <Stack gap="md">
      <PageLink size="sm" to="/dashboard/inbox" search={{ tab: 'missing' }}>
        All reviews
      </PageLink>
      <OneReview id={review} />
    </Stack>
  )
}

function ReviewList() {
  const [state] = useUrlState()
  const { state: shown = 'pending' } = state
  const query = toQueryString(state, ['cursor'], shown === 'all' ? {} : { state: shown })
  const { data, error, refetch, isPlaceholderData } = useQuery(missingReviewPageQuery(query))
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={760}>
        A platform that suddenly lists far fewer records may have deleted them, or may have a fault.
        The hub then waits for a review before it marks records as missing. No record is deleted in
        either case.
      </Text>
      <Group>
        <StateControl label="Review state" choices={STATES} />
      </Group>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !data && <ListSkeleton height={130} rows={2} />}
      {data?.missing_reviews.map((review) => (
        <ReviewCard key={review.id} review={review} />
      ))}
      {data?.missing_reviews.length === 0 && (
        <EmptyState
          icon={<IconCircleCheck />}
          title={shown === 'pending' ? 'No open reviews' : 'No matching reviews'}
        >
          A review is opened when many records of a module are missing from a full pull.
        </EmptyState>
      )}
      {data && <Pager next={data.next_cursor} isStale={isPlaceholderData} />}
    </Stack>
  )
}
