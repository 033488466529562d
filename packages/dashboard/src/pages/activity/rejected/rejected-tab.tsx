import { Group, Stack, Text, Title } from '@mantine/core'
import { IconMoodCheck } from '@tabler/icons-react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { ListSkeleton } from '../list-skeleton.tsx'
import { CauseTable } from './cause-table.tsx'
import { MeantActions } from './meant-actions.tsx'
import { RejectedDrawer } from './rejected-drawer.tsx'
import { RejectedFilters } from './rejected-filters.tsx'
import { RejectedTable } from './rejected-table.tsx'
import { isMeant, REJECTED_FILTERS, useCauses, useRejected } from './use-rejected.ts'

export function RejectedTab() {
  const [state] = useUrlState()
  const list = useRejected(state)
  const causes = useCauses(state)
  const groups = causes.data?.groups ?? []
  const waiting = groups
    .filter((group) => isMeant(state, group))
    .reduce((sum, group) => sum + group.rejected_pushes, 0)
  const isFiltered = REJECTED_FILTERS.some((name) => state[name])
  const rejected = list.data?.rejected_pushes ?? []
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        Pushes and pulled records that the hub refused are kept here with the reason. Mended, or
        once what was missing is there, they can be replayed; nothing that came later is undone.
      </Text>
      {groups.length > 0 && <CauseTable groups={groups} />}
      {/* Until it is known what stands above the list. */}
      {causes.isPending ? (
        <ListSkeleton height={52} rows={6} />
      ) : (
        <section aria-labelledby="rejected-list">
          <Group justify="space-between" mb="xs" gap="xs">
            <Title order={2} fz="h4" id="rejected-list">
              One by one
            </Title>
            <MeantActions waiting={waiting} />
          </Group>
          <RejectedFilters
            codes={[...new Set(groups.map(({ code }) => code))]}
            recordTypes={[...new Set(groups.flatMap(({ record_type }) => record_type ?? []))]}
          />
          {list.error && !list.data && (
            <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
          )}
          {list.isPending && <ListSkeleton height={52} rows={6} />}
          {list.data && (
            <Stack gap="xs" opacity={list.isPlaceholderData ? 0.6 : 1}>
              {rejected.length > 0 && <RejectedTable rejected={rejected} />}
              {rejected.length === 0 && <NoneRejected isFiltered={isFiltered} />}
              <Pager next={list.data.next_cursor} isLate={list.isPlaceholderData} />
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
    <EmptyState icon={<IconMoodCheck />} title="Nothing passes these filters">
      Clear a filter, or show those that were replayed, too.
    </EmptyState>
  ) : (
    <EmptyState icon={<IconMoodCheck />} title="Nothing waits here">
      What the hub refuses appears here with the reason, to be mended and replayed.
    </EmptyState>
  )
}
