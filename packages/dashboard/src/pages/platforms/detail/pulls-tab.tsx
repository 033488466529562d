import { Box, Table, Text } from '@mantine/core'
import type { PlatformDetails, PlatformPull } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { platformPullsQuery } from '../../../api/platforms.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { formatDuration, formatNumber } from '../../../lib/format.ts'
import { PullStateBadge } from '../../pulls/pull-state-badge.tsx'
import { Paged } from './paged.tsx'
import { usePages } from './use-pages.ts'

const TRIGGERS = { operator: 'By an operator', schedule: 'By schedule', api: 'By a program' }

/** What pulls did with this platform. */
export function PullsTab({ platform }: { platform: PlatformDetails }) {
  const pulls = usePages(platformPullsQuery(platform.id))
  return (
    <Paged
      query={pulls}
      empty={
        <EmptyState icon={<IconDownload />} title="Not pulled yet">
          The schedule pulls every active platform, and the button above pulls this one.
        </EmptyState>
      }
    >
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Started</Table.Th>
            <Table.Th visibleFrom="sm">State</Table.Th>
            <Table.Th visibleFrom="sm">Trigger</Table.Th>
            <Table.Th visibleFrom="sm">Modules read</Table.Th>
            <Table.Th ta="right">Received</Table.Th>
            <Table.Th visibleFrom="sm" ta="right">
              New
            </Table.Th>
            <Table.Th visibleFrom="sm" ta="right">
              Changed
            </Table.Th>
            <Table.Th visibleFrom="sm" ta="right">
              Rejected
            </Table.Th>
            <Table.Th visibleFrom="sm" ta="right">
              Took
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
  const took =
    started_at !== null && finished_at !== null
      ? formatDuration(Date.parse(finished_at) - Date.parse(started_at))
      : '–'
  const navigate = useNavigate()
  return (
    <Table.Tr
      style={{ cursor: 'pointer' }}
      onClick={(event) => {
        // A link in the row has done it already, and selecting text is not a click.
        if (event.defaultPrevented || getSelection()?.isCollapsed === false) return
        void navigate({ to: '/dashboard/pulls/$id', params: { id: String(pull_id) } })
      }}
    >
      <Table.Td>
        <PageLink to="/dashboard/pulls/$id" params={{ id: String(pull_id) }} size="sm">
          {started_at === null ? `Pull ${pull_id}` : <Time at={started_at} seconds />}
        </PageLink>
        <Box hiddenFrom="sm">
          <PullStateBadge state={state} rejected={counts.rejected} />
        </Box>
        {pull.error && (
          <Text size="xs" c="dimmed" lineClamp={2} maw={320}>
            {pull.error}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <PullStateBadge state={state} rejected={counts.rejected} />
      </Table.Td>
      <Table.Td visibleFrom="sm">{TRIGGERS[trigger]}</Table.Td>
      <Table.Td visibleFrom="sm">
        {modules_read} of {modules}
      </Table.Td>
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
        {took}
      </Table.Td>
    </Table.Tr>
  )
}
