import { Select, Stack, Text } from '@mantine/core'
import { IconMoodCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { pushErrorPageQuery } from '../../../api/push-errors.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { toQueryString } from '../../../lib/query-string.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { FilterBar } from '../filter-bar.tsx'
import { ListSkeleton } from '../list-skeleton.tsx'
import { PlatformSelect } from '../platform-select.tsx'
import { REASONS } from './push-error-labels.ts'
import { PushErrorTable } from './push-error-table.tsx'

const FILTERS = ['platform', 'reason']
const REASON_CHOICES = Object.entries(REASONS).map(([value, label]) => ({ value, label }))

/** Pushes that are only counted: their content is not stored. */
export function PushErrorsTab() {
  const [state, change] = useUrlState()
  const query = toQueryString(state, [...FILTERS, 'cursor'])
  const { data, error, refetch, isPlaceholderData } = useQuery(pushErrorPageQuery(query))
  const isFiltered = FILTERS.some((name) => state[name])
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={760}>
        Pushes with an invalid API key or a body that is not JSON are counted by hour and sender.
        Their content is not stored. A platform is shown if it may have sent them.
      </Text>
      <FilterBar names={FILTERS}>
        <PlatformSelect />
        <Select
          label="Reason"
          placeholder="All"
          size="xs"
          clearable
          data={REASON_CHOICES}
          value={state['reason'] ?? null}
          onChange={(reason) => change({ reason, cursor: null })}
        />
      </FilterBar>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !data && <ListSkeleton height={52} rows={6} />}
      {data && (
        <Stack gap="xs" opacity={isPlaceholderData ? 0.6 : 1}>
          {data.push_errors.length > 0 ? (
            <PushErrorTable errors={data.push_errors} />
          ) : (
            <EmptyState
              icon={<IconMoodCheck />}
              title={isFiltered ? 'No matching push errors' : 'No push errors'}
            >
              {isFiltered
                ? 'Clear a filter to see all push errors.'
                : 'Pushes with an invalid API key or malformed JSON are counted here.'}
            </EmptyState>
          )}
          <Pager next={data.next_cursor} isStale={isPlaceholderData} />
        </Stack>
      )}
    </Stack>
  )
}
