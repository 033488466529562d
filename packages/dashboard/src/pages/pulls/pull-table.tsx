import { Stack } from '@mantine/core'
import type { Pull } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { pullPageQuery } from '../../api/pulls.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { type ListColumn, ListTable } from '../../components/list-table/list-table.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Pager } from '../../components/pager.tsx'
import { Ago } from '../../components/time.tsx'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { durationOf, starterLabel } from './pull-labels.ts'
import { PullStateBadge } from './pull-state-badge.tsx'
import { TEXTS } from './texts.tsx'
import { useNewest } from './use-snapshot-pull.ts'

const column = columnsFor<Pull>()

/** All stored pulls, newest first. */
export function PullTable() {
  const [{ cursor = '' }] = useUrlState()
  const page = useQuery(pullPageQuery(cursor))
  const { data, refetch, isPlaceholderData } = page
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
        <ListTable
          label={TEXTS.pulls}
          rows={data?.pulls.map(newest)}
          idOf={({ id }) => id}
          isStale={isPlaceholderData}
          onOpen={({ id }) =>
            void navigate({ to: '/dashboard/pulls/$id', params: { id: String(id) } })
          }
          columns={columnsAt(now)}
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

const COUNTS = [
  ['received', TEXTS.received],
  ['created', TEXTS.new],
  ['updated', TEXTS.updated],
  ['unchanged', TEXTS.unchanged],
  ['rejected', TEXTS.rejected],
] as const

/** @param now on the hub's clock. */
const columnsAt = (now: number): ListColumn<Pull>[] => [
  column.of(
    TEXTS.pull,
    ({ id }) => (
      <PageLink size="sm" to="/dashboard/pulls/$id" params={{ id: String(id) }}>
        {formatNumber(id)}
      </PageLink>
    ),
    { width: 90 },
  ),
  column.of(TEXTS.state, ({ state, counts }) => <PullStateBadge state={state} counts={counts} />, {
    phone: 'line',
  }),
  column.of(
    TEXTS.started,
    (pull) => (
      <>
        <Ago at={pull.requested_at} />
        <Below>{starterLabel(pull)}</Below>
      </>
    ),
    { width: 130, phone: 'end' },
  ),
  column.of(
    TEXTS.duration,
    (pull) => {
      const duration = durationOf(pull, now)
      return duration === null ? '—' : formatDuration(duration)
    },
    { width: 90 },
  ),
  column.of(
    TEXTS.modules,
    ({ progress: { task_states, tasks_total } }) =>
      `${formatNumber(task_states.succeeded ?? 0)} of ${formatNumber(tasks_total)}`,
    { width: 90, align: 'right', from: 'desktop', phone: 'labelled' },
  ),
  ...COUNTS.map(([name, title]) =>
    column.number(title, ({ counts }) => counts[name], {
      width: 92,
      ...(name === 'received' || name === 'rejected' ? {} : { from: 'desktop' }),
    }),
  ),
]
