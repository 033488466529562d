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
import { PlatformSelect } from '../platform-select.tsx'
import { RequestIdInput } from '../search-input.tsx'
import { PUSH_ERROR_REASONS, TEXTS } from '../texts.tsx'
import { PushErrorTable } from './push-error-table.tsx'

const FILTERS = ['platform', 'reason', 'request_id']
const REASON_CHOICES = Object.entries(PUSH_ERROR_REASONS).map(([value, label]) => ({
  value,
  label,
}))

/** Pushes that are only counted: their content is not stored. */
export function PushErrorsTab() {
  const [state, change] = useUrlState()
  const query = toQueryString(state, [...FILTERS, 'cursor'])
  const { data, error, refetch, isPlaceholderData } = useQuery(pushErrorPageQuery(query))
  const isFiltered = FILTERS.some((name) => state[name])
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={760}>
        {TEXTS.pushErrorsHint}
      </Text>
      <FilterBar names={FILTERS}>
        <PlatformSelect />
        <Select
          label={TEXTS.reason}
          placeholder={TEXTS.all}
          size="xs"
          clearable
          data={REASON_CHOICES}
          value={state['reason'] ?? null}
          onChange={(reason) => change({ reason, cursor: null })}
        />
        <RequestIdInput />
      </FilterBar>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !data && <PushErrorTable errors={undefined} />}
      {data && (
        <Stack gap="xs" opacity={isPlaceholderData ? 0.6 : 1}>
          {data.push_errors.length > 0 ? (
            <PushErrorTable errors={data.push_errors} />
          ) : (
            <EmptyState
              icon={<IconMoodCheck />}
              title={isFiltered ? TEXTS.noMatchingPushErrors : TEXTS.noPushErrors}
            >
              {isFiltered ? TEXTS.noMatchingPushErrorsHint : TEXTS.noPushErrorsHint}
            </EmptyState>
          )}
          <Pager next={data.next_cursor} isStale={isPlaceholderData} />
        </Stack>
      )}
    </Stack>
  )
}
