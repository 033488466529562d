import { Group, Text } from '@mantine/core'
import type { PlatformDetails, PlatformPull } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { platformPullsQuery } from '../../../api/platforms.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { columnsFor } from '../../../components/list-table/columns.tsx'
import { type ListColumn, ListTable } from '../../../components/list-table/list-table.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { formatDuration } from '../../../lib/format.ts'
import { TEXTS } from '../../../texts.ts'
import { FoldButton, FoldRange, PullStateBadge } from '../../pulls/pull-columns.tsx'
import { TRIGGERS } from '../../pulls/pull-labels.ts'
import { type FoldedPull, foldKey, foldPulls, isFailed } from '../../pulls/pull-rows.ts'
import { Paged } from './paged.tsx'

type Row = FoldedPull<PlatformPull>

const column = columnsFor<Row>()

/** The pulls of this platform, newest first. Neighbours that are alike fold, as on the page of all pulls. */
export function PullsTab({ platform }: { platform: PlatformDetails }) {
  const navigate = useNavigate()
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string) => setOpened(new Set([id]).symmetricDifference(opened))
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
          rows={toRows(rows, (id) => opened.has(id))}
          idOf={({ id }) => id}
          onOpen={(row) =>
            row.kind === 'pull'
              ? void navigate({ to: '/dashboard/pulls/$id', params: { id: row.id } })
              : toggle(row.id)
          }
          lookOf={(row) => (row.kind === 'fold' ? 'quiet' : row.isFolded ? 'sunken' : undefined)}
          columns={columnsWith(toggle)}
        />
      )}
    </Paged>
  )
}

function toRows(pulls: readonly PlatformPull[], isOpen: (id: string) => boolean): Row[] {
  const newest = pulls.find(({ finished_at }) => finished_at !== null)
  const keyOf = (pull: PlatformPull) =>
    pull === newest ? null : foldKey({ ...pull, failure: isFailed(pull.state) ? pull.error : null })
  return foldPulls(pulls, { keyOf, idOf: ({ pull_id }) => pull_id, isOpen })
}

/** A column with a value for each pull, and none for a fold. */
const ofPull = (
  title: string,
  render: (pull: PlatformPull) => ReactNode,
  options: Parameters<typeof column.of>[2],
) => column.of(title, (row) => (row.kind === 'pull' ? render(row.pull) : null), options)

const countOf = (
  title: string,
  name: 'received' | 'created' | 'updated' | 'rejected',
  options: Parameters<typeof column.number>[2],
) => column.number(title, (row) => (row.kind === 'pull' ? row.pull.counts[name] : null), options)

const columnsWith = (toggle: (id: string) => void): ListColumn<Row>[] => [
  column.of(TEXTS.started, (row) =>
    row.kind === 'fold' ? (
      <Group gap="xs">
        <FoldButton
          count={row.pulls.length}
          isFailure={row.pulls.some(({ state }) => isFailed(state))}
          isOpen={row.isOpen}
          onClick={() => toggle(row.id)}
        />
        <Text span inherit c="dimmed">
          <FoldRange pulls={row.pulls} timeOf={({ started_at }) => started_at} />
        </Text>
      </Group>
    ) : (
      <Started pull={row.pull} />
    ),
  ),
  ofPull(TEXTS.state, ({ state, counts }) => <PullStateBadge state={state} counts={counts} />, {
    width: 190,
    phone: 'line',
  }),
  ofPull('Trigger', ({ trigger }) => TRIGGERS[trigger], { width: 110, from: 'desktop' }),
  ofPull(TEXTS.modules, ({ modules, modules_read }) => `${modules_read} of ${modules}`, {
    width: 110,
    from: 'desktop',
  }),
  countOf(TEXTS.received, 'received', { width: 90 }),
  countOf(TEXTS.new, 'created', { width: 80, from: 'desktop' }),
  countOf('Changed', 'updated', { width: 90, from: 'desktop' }),
  countOf(TEXTS.rejected, 'rejected', { width: 90 }),
  ofPull(
    'Duration',
    ({ started_at, finished_at }) =>
      started_at !== null && finished_at !== null
        ? formatDuration(Date.parse(finished_at) - Date.parse(started_at))
        : '—',
    { width: 90, align: 'right', phone: 'end' },
  ),
]

function Started({ pull: { pull_id, started_at, error } }: { pull: PlatformPull }) {
  return (
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
  )
}
