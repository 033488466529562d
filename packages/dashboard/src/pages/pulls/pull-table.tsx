import { errorInPlaceOfData } from '../../api/retries.ts'
import { TEXTS } from './texts.tsx'
import 'mantine-datatable/styles.css'
import { Anchor, Box, Stack, Text } from '@mantine/core'
import type { Pull } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { DataTable, type DataTableColumn } from 'mantine-datatable'
import { pullPageQuery } from '../../api/pulls.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { Pager } from '../../components/pager.tsx'
import { Time } from '../../components/time.tsx'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { durationOf, starterLabel } from './pull-labels.ts'
import { PullStateBadge } from './pull-state-badge.tsx'
import { useNewest } from './use-snapshot-pull.ts'

/** All stored pulls, newest first. */
export function PullTable() {
  const [{ cursor = '' }] = useUrlState()
  const page = useQuery(pullPageQuery(cursor))
  const { data, refetch, isFetching, isPlaceholderData } = page
  const error = errorInPlaceOfData(page)
  const { newest, now } = useNewest()
  const navigate = useNavigate()
  if (error) {
    return <ErrorNotice error={error} onRetry={refetch} title={TEXTS.couldNotLoadPulls} />
  }
  return (
    <Stack gap="sm">
      {data?.pulls.length === 0 ? (
        <NoPulls isFirstPage={cursor === ''} />
      ) : (
        <DataTable
          withTableBorder
          highlightOnHover
          borderRadius="md"
          onRowClick={({ record, event }) => {
            // Ignores clicks on a link in the row, and the selection of text.
            if (event.defaultPrevented || getSelection()?.isCollapsed === false) return
            void navigate({ to: '/dashboard/pulls/$id', params: { id: String(record.id) } })
          }}
          {...(data ? {} : { minHeight: 220 })}
          records={data?.pulls.map(newest) ?? []}
          columns={columnsAt(now)}
          fetching={isFetching && (data === undefined || isPlaceholderData)}
        />
      )}
      {data && <Pager next={data.next_cursor} isStale={isPlaceholderData} />}
    </Stack>
  )
}

function NoPulls({ isFirstPage }: { isFirstPage: boolean }) {
  return isFirstPage ? (
    <EmptyState
      icon={<IconDownload />}
      title={TEXTS.noPullsYet}
      action={
        <LinkButton to="/dashboard" variant="light">
          {TEXTS.goToOverview}
        </LinkButton>
      }
    >
      {TEXTS.noPullsYetHint}
    </EmptyState>
  ) : (
    <EmptyState icon={<IconDownload />} title={TEXTS.noOlderPulls}>
      {TEXTS.noOlderPullsHint}
    </EmptyState>
  )
}

/** Columns that are hidden on a phone. */
const FROM_TABLET = '(min-width: 48em)'

const COUNTS = [
  ['received', TEXTS.received],
  ['created', TEXTS.new],
  ['updated', TEXTS.updated],
  ['unchanged', TEXTS.unchanged],
  ['rejected', TEXTS.rejected],
] as const

/** @param now on the hub's clock. */
const columnsAt = (now: number): DataTableColumn<Pull>[] => [
  {
    accessor: 'id',
    title: TEXTS.pull,
    render: ({ id }) => (
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link to="/dashboard/pulls/$id" params={{ id: String(id) }} {...props} />
        )}
      >
        {formatNumber(id)}
      </Anchor>
    ),
  },
  {
    accessor: 'state',
    title: TEXTS.state,
    width: 215,
    visibleMediaQuery: FROM_TABLET,
    render: ({ state, counts }) => <PullStateBadge state={state} counts={counts} />,
  },
  {
    accessor: 'requested_at',
    title: TEXTS.started,
    noWrap: true,
    render: (pull) => (
      <>
        <Time at={pull.requested_at} seconds />
        <Text size="xs" c="dimmed">
          {starterLabel(pull)}
        </Text>
        <Box hiddenFrom="sm" mt={4}>
          <PullStateBadge state={pull.state} counts={pull.counts} />
        </Box>
      </>
    ),
  },
  {
    accessor: 'duration',
    title: TEXTS.duration,
    visibleMediaQuery: FROM_TABLET,
    noWrap: true,
    render: (pull) => {
      const duration = durationOf(pull, now)
      return duration === null ? '—' : formatDuration(duration)
    },
  },
  {
    accessor: 'modules',
    title: TEXTS.modules,
    visibleMediaQuery: FROM_TABLET,
    noWrap: true,
    textAlign: 'right',
    render: ({ progress: { task_states, tasks_total } }) =>
      `${formatNumber(task_states.succeeded ?? 0)} of ${formatNumber(tasks_total)}`,
  },
  ...COUNTS.map(
    ([name, title]): DataTableColumn<Pull> => ({
      accessor: `counts.${name}`,
      title,
      ...(name === 'received' ? {} : { visibleMediaQuery: FROM_TABLET }),
      noWrap: true,
      textAlign: 'right',
      render: ({ counts }) => formatNumber(counts[name]),
    }),
  ),
]
