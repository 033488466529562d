import { Text } from '@mantine/core'
import type { PlatformDetails, PlatformPull } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { platformPullsQuery } from '../../../api/platforms.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { columnsFor } from '../../../components/list-table/columns.tsx'
import { type ListColumn, ListTable } from '../../../components/list-table/list-table.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { formatDuration } from '../../../lib/format.ts'
import { TEXTS } from '../../../texts.ts'
import { TRIGGERS } from '../../pulls/pull-labels.ts'
import { PullStateBadge } from '../../pulls/pull-state-badge.tsx'
import { Paged } from './paged.tsx'

const column = columnsFor<PlatformPull>()

/** The pulls of this platform. */
export function PullsTab({ platform }: { platform: PlatformDetails }) {
  const navigate = useNavigate()
  return (
    <Paged
      query={platformPullsQuery(platform.id)}
      empty={
        <EmptyState icon={<IconDownload />} title={TEXTS.noPullsYet}>
          Active platforms are pulled on schedule. “Pull now” pulls this one immediately.
        </EmptyState>
      }
    >
      {(rows) => (
        <ListTable
          label={TEXTS.pulls}
          rows={rows}
          idOf={({ pull_id }) => pull_id}
          onOpen={({ pull_id }) =>
            void navigate({ to: '/dashboard/pulls/$id', params: { id: String(pull_id) } })
          }
          columns={COLUMNS}
        />
      )}
    </Paged>
  )
}

const COLUMNS: ListColumn<PlatformPull>[] = [
  column.of(TEXTS.started, ({ pull_id, started_at, error }) => (
    <>
      <PageLink to="/dashboard/pulls/$id" params={{ id: String(pull_id) }} size="sm">
        {started_at === null ? TEXTS.pullLink(pull_id) : <Time at={started_at} seconds />}
      </PageLink>
      {error && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {error}
        </Text>
      )}
    </>
  )),
  column.of(TEXTS.state, ({ state, counts }) => <PullStateBadge state={state} counts={counts} />, {
    width: 190,
    phone: 'line',
  }),
  column.of('Trigger', ({ trigger }) => TRIGGERS[trigger], { width: 110, from: 'desktop' }),
  column.of(TEXTS.modules, ({ modules, modules_read }) => `${modules_read} of ${modules}`, {
    width: 110,
    from: 'desktop',
  }),
  column.number(TEXTS.received, ({ counts }) => counts.received, { width: 90 }),
  column.number(TEXTS.new, ({ counts }) => counts.created, { width: 80, from: 'desktop' }),
  column.number('Changed', ({ counts }) => counts.updated, { width: 90, from: 'desktop' }),
  column.number(TEXTS.rejected, ({ counts }) => counts.rejected, { width: 90 }),
  column.of(
    'Duration',
    ({ started_at, finished_at }) =>
      started_at !== null && finished_at !== null
        ? formatDuration(Date.parse(finished_at) - Date.parse(started_at))
        : '—',
    { width: 90, align: 'right', phone: 'end' },
  ),
]
