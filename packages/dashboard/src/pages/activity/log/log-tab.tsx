import { Stack, Text } from '@mantine/core'
import { useWindowScroll } from '@mantine/hooks'
import { IconListSearch } from '@tabler/icons-react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { ListSkeleton } from '../list-skeleton.tsx'
import { followOf } from './follow.ts'
import { FollowBar } from './follow-bar.tsx'
import { LineDrawer } from './line-drawer.tsx'
import { LogFilters } from './log-filters.tsx'
import { LogTable } from './log-table.tsx'
import { LOG_FILTERS, useLog } from './use-log.ts'

export function LogTab() {
  const [state] = useUrlState()
  const [{ y }] = useWindowScroll()
  const follow = followOf(state, y)
  const { data, error, refetch, isPlaceholderData } = useLog(state, follow === 'following')
  const isFiltered = [...LOG_FILTERS, 'record'].some((name) => state[name])
  const lines = data?.activity ?? []
  return (
    <>
      <LogFilters />
      <FollowBar follow={follow} />
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !data && <ListSkeleton />}
      {data && (
        <Stack gap="xs" opacity={isPlaceholderData ? 0.6 : 1}>
          {lines.length > 0 && <LogTable lines={lines} />}
          {lines.length === 0 && data.complete && <NoLines isFiltered={isFiltered} />}
          {!data.complete && (
            <Text size="sm" c="dimmed" role="status">
              The hub looked for two seconds and stopped before the end. “Next” goes on looking; a
              platform, a level or a time makes it quicker.
            </Text>
          )}
          <Pager next={data.next_cursor} isLate={isPlaceholderData} />
        </Stack>
      )}
      <LineDrawer shown={lines} />
    </>
  )
}

function NoLines({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState
      icon={<IconListSearch />}
      title={isFiltered ? 'No line passes these filters' : 'Nothing has happened yet'}
    >
      {isFiltered
        ? 'Clear a filter, or look at another time.'
        : 'Lines appear here when a platform is registered, pushes, or is pulled.'}
    </EmptyState>
  )
}
