import { Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { missingReviewPageQuery } from '../../../api/inbox.ts'
import { useModules } from '../../../api/platforms.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { FilterPlatform, FilterSelect } from '../../../components/filter-chip.tsx'
import { LoadedPage } from '../../../components/loaded.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { moduleChoices } from '../../../lib/choices.ts'
import { pickState, useUrlState } from '../../../lib/url-state.ts'
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
  const [state] = useUrlState()
  const { state: shown = 'pending', platform } = state
  const modules = useModules(platform ?? null)
  const query = {
    ...pickState(state, ['platform', 'record_type', 'cursor']),
    state: shown === 'all' ? null : shown,
  }
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={760}>
        A platform that suddenly lists far fewer records may have deleted them, or may have a fault.
        The hub then waits for a review before it marks records as missing. No record is deleted in
        either case.
      </Text>
      <Group>
        <StateControl label="Review state" choices={STATES} />
        <FilterPlatform />
        <FilterSelect label={TEXTS.module} name="record_type" choices={moduleChoices(modules)} />
      </Group>
      <LoadedPage
        query={useQuery(missingReviewPageQuery(query))}
        skeleton={<ListSkeleton height={130} rows={2} />}
        gap="md"
        empty={({ missing_reviews }) =>
          missing_reviews.length === 0 && (
            <EmptyState
              icon={<IconCircleCheck />}
              title={
                shown === 'pending' && !platform && !state['record_type']
                  ? 'No open reviews'
                  : 'No matching reviews'
              }
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
