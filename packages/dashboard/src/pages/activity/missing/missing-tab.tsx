import { Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { missingReviewPageQuery } from '../../../api/inbox.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { LoadedPage } from '../../../components/loaded.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { TEXTS } from '../../../texts.ts'
import { ListSkeleton, StateControl } from '../list-parts.tsx'
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
  const [{ state: shown = 'pending', cursor }] = useUrlState()
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
      <LoadedPage
        query={useQuery(missingReviewPageQuery({ cursor, state: shown === 'all' ? null : shown }))}
        skeleton={<ListSkeleton height={130} rows={2} />}
        gap="md"
        empty={({ missing_reviews }) =>
          missing_reviews.length === 0 && (
            <EmptyState
              icon={<IconCircleCheck />}
              title={shown === 'pending' ? 'No open reviews' : 'No matching reviews'}
            >
              A review is opened when many records of a module are missing from a full pull.
            </EmptyState>
          )
        }
      >
        {({ missing_reviews }) =>
          missing_reviews.map((review) => <ReviewCard key={review.id} review={review} />)
        }
      </LoadedPage>
    </Stack>
  )
}
