import { Group, Stack, Text, Title } from '@mantine/core'
import { IconMoodCheck } from '@tabler/icons-react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { RepairGroup } from '../../inbox/repair.tsx'
import { ListSkeleton } from '../list-skeleton.tsx'
import { TEXTS } from '../texts.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { CauseTable } from './cause-table.tsx'
import { RejectedDrawer } from './rejected-drawer.tsx'
import { RejectedFilters } from './rejected-filters.tsx'
import { RejectedTable } from './rejected-table.tsx'
import { matchesFilters, REJECTED_FILTERS, useCauses, useRejected } from './use-rejected.ts'

export function RejectedTab() {
  const [state] = useUrlState()
  const list = useRejected(state)
  const causes = useCauses(state)
  const groups = causes.data?.groups ?? []
  const openCount = groups
    .filter((group) => matchesFilters(state, group))
    .reduce((sum, group) => sum + group.rejected_pushes, 0)
  const { platform, cause } = state
  const chosen =
    platform && cause && groups.some((one) => one.cause === cause) ? { platform, cause } : null
  const isFiltered = REJECTED_FILTERS.some((name) => state[name])
  const rejected = list.data?.rejected_pushes ?? []
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {TEXTS.rejectedHint}
      </Text>
      {groups.length > 0 && <CauseTable groups={groups} />}
      {chosen && <RepairGroup key={chosen.cause} {...chosen} />}
      {/* The height of the cause table is unknown until it has loaded. */}
      {causes.isPending ? (
        <ListSkeleton height={52} rows={6} />
      ) : (
        <section aria-labelledby="rejected-list">
          <Group justify="space-between" mb="xs" gap="xs">
            <Title order={2} fz="h4" id="rejected-list">
              {TEXTS.all}
            </Title>
            {!chosen && <BulkActions count={openCount} />}
          </Group>
          <RejectedFilters
            codes={[...new Set(groups.map(({ code }) => code))]}
            recordTypes={[...new Set(groups.flatMap(({ record_type }) => record_type ?? []))]}
          />
          {list.error && !list.data && (
            <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
          )}
          {list.isPending && <RejectedTable rejected={undefined} />}
          {list.data && (
            <Stack gap="xs" opacity={list.isPlaceholderData ? 0.6 : 1}>
              {rejected.length > 0 && <RejectedTable rejected={rejected} />}
              {rejected.length === 0 && <NoneRejected isFiltered={isFiltered} />}
              <Pager next={list.data.next_cursor} isStale={list.isPlaceholderData} />
            </Stack>
          )}
        </section>
      )}
      <RejectedDrawer />
    </Stack>
  )
}

function NoneRejected({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon={<IconMoodCheck />} title={TEXTS.noMatchingRejectedPushes}>
      {TEXTS.noMatchingRejectedPushesHint}
    </EmptyState>
  ) : (
    <EmptyState icon={<IconMoodCheck />} title={TEXTS.noOpenRejectedPushes}>
      {TEXTS.noOpenRejectedPushesHint}
    </EmptyState>
  )
}
