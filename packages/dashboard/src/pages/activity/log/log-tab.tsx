import { Stack, Text } from '@mantine/core'
import { useWindowScroll } from '@mantine/hooks'
import { IconListSearch } from '@tabler/icons-react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { followOf } from '../../log/follow.ts'
import { TEXTS } from '../texts.tsx'
import { EntryDrawer } from './entry-drawer.tsx'
import { FollowBar } from './follow-bar.tsx'
import { LogFilters } from './log-filters.tsx'
import { LogTable } from './log-table.tsx'
import { LOG_FILTERS, useLog } from './use-log.ts'

export function LogTab() {
  const [state] = useUrlState()
  const [{ y }] = useWindowScroll()
  const follow = followOf(state, y)
  const { data, error, refetch, isPlaceholderData } = useLog(state, follow === 'following')
  const isFiltered = [...LOG_FILTERS, 'record'].some((name) => state[name])
  const entries = data?.activity ?? []
  return (
    <>
      <LogFilters />
      <FollowBar follow={follow} />
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !data && <LogTable entries={undefined} />}
      {data && (
        <Stack gap="xs" opacity={isPlaceholderData ? 0.6 : 1}>
          {entries.length > 0 && <LogTable entries={entries} />}
          {entries.length === 0 && data.complete && <NoEntries isFiltered={isFiltered} />}
          {!data.complete && (
            <Text size="sm" c="dimmed" role="status">
              {TEXTS.searchStopped}
            </Text>
          )}
          <Pager next={data.next_cursor} isStale={isPlaceholderData} />
        </Stack>
      )}
      <EntryDrawer shown={entries} />
    </>
  )
}

function NoEntries({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState
      icon={<IconListSearch />}
      title={isFiltered ? TEXTS.noMatchingLogEntries : TEXTS.noActivityYet}
    >
      {isFiltered ? TEXTS.noMatchingLogEntriesHint : TEXTS.noActivityYetHint}
    </EmptyState>
  )
}
