import { Box, Table, Text } from '@mantine/core'
import type { PlatformDetails, PlatformPull } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { platformPullsQuery } from '../../../api/platforms.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { formatDuration, formatNumber } from '../../../lib/format.ts'
import { triggerLabel } from '../../pulls/pull-labels.ts'
import { PullStateBadge } from '../../pulls/pull-state-badge.tsx'
import { Paged, usePages } from './paged.tsx'
import { TEXTS } from './texts.tsx'

/** The pulls of this platform. */
export function PullsTab({ platform }: { platform: PlatformDetails }) {
  const pulls = usePages(platformPullsQuery(platform.id))
  return (
    <Paged
      query={pulls}
      empty={
        <EmptyState icon={<IconDownload />} title={TEXTS.noPullsYet}>
          {TEXTS.noPullsYetHint}
        </EmptyState>
      }
    >
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{TEXTS.started}</Table.Th>
            <Table.Th visibleFrom="sm">{TEXTS.state}</Table.Th>
            <Table.Th visibleFrom="sm">{TEXTS.trigger}</Table.Th>
            <Table.Th visibleFrom="sm">{TEXTS.modules}</Table.Th>
            <Table.Th ta="right">{TEXTS.received}</Table.Th>
            <Table.Th visibleFrom="sm" ta="right">
              {TEXTS.new}
            </Table.Th>
            <Table.Th visibleFrom="sm" ta="right">
              {TEXTS.changed}
            </Table.Th>
            <Table.Th visibleFrom="sm" ta="right">
              {TEXTS.rejected}
            </Table.Th>
            <Table.Th visibleFrom="sm" ta="right">
              {TEXTS.duration}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {pulls.rows.map((pull) => (
            <PullRow key={pull.pull_id} pull={pull} />
          ))}
        </Table.Tbody>
      </Table>
    </Paged>
  )
}

function PullRow({ pull }: { pull: PlatformPull }) {
  const { pull_id, state, trigger, started_at, finished_at, modules, modules_read, counts } = pull
  const duration =
    started_at !== null && finished_at !== null
      ? formatDuration(Date.parse(finished_at) - Date.parse(started_at))
      : '—'
  const navigate = useNavigate()
  return (
    <Table.Tr
      style={{ cursor: 'pointer' }}
      onClick={(event) => {
        // Ignores clicks on a link in the row, and the selection of text.
        if (event.defaultPrevented || getSelection()?.isCollapsed === false) return
        void navigate({ to: '/dashboard/pulls/$id', params: { id: String(pull_id) } })
      }}
    >
      <Table.Td>
        <PageLink to="/dashboard/pulls/$id" params={{ id: String(pull_id) }} size="sm">
          {started_at === null ? TEXTS.pullLink(pull_id) : <Time at={started_at} seconds />}
        </PageLink>
        <Box hiddenFrom="sm">
          <PullStateBadge state={state} counts={counts} />
        </Box>
        {pull.error && (
          <Text size="xs" c="dimmed" lineClamp={2} maw={320}>
            {pull.error}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <PullStateBadge state={state} counts={counts} />
      </Table.Td>
      <Table.Td visibleFrom="sm">{triggerLabel(trigger)}</Table.Td>
      <Table.Td visibleFrom="sm">{TEXTS.modulesReadOf(modules_read, modules)}</Table.Td>
      <Table.Td ta="right">{formatNumber(counts.received)}</Table.Td>
      <Table.Td visibleFrom="sm" ta="right">
        {formatNumber(counts.created)}
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="right">
        {formatNumber(counts.updated)}
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="right">
        {formatNumber(counts.rejected)}
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="right">
        {duration}
      </Table.Td>
    </Table.Tr>
  )
}
