import { Group, Stack, Tabs, Text } from '@mantine/core'
import type { Revert } from '@recordhub/protocol'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { revertPageQuery } from '../../api/reverts.ts'
import { Dot } from '../../components/dot.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { BackLink, PageHeader } from '../../components/page-header.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Pager } from '../../components/pager.tsx'
import { formatCode } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { HoldList } from './holds.tsx'
import { revertDot, scopeLabel } from './revert-labels.ts'
import { useScopeTitles } from './use-scope-titles.ts'

/** All reverts and all holds; for viewers the holds. */
export function RevertsPage() {
  const [{ tab = 'reverts' }, change] = useUrlState()
  const canOperate = useHasRole('operator')
  return (
    <>
      <BackLink to="/dashboard/pulls">{TEXTS.pulls}</BackLink>
      <PageHeader
        title="Reverts"
        description="What was taken back: pulls, pushes and single records"
      />
      <Tabs
        value={tab === 'holds' || !canOperate ? 'holds' : 'reverts'}
        onChange={(next) => change({ tab: next === 'holds' ? next : null, cursor: null })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {canOperate && <Tabs.Tab value="reverts">Reverts</Tabs.Tab>}
          <Tabs.Tab value="holds">Holds</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="reverts">
          <RevertList />
        </Tabs.Panel>
        <Tabs.Panel value="holds">
          <HoldList />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

const column = columnsFor<Revert>()

const COLUMNS = [
  column.of('Revert', (revert) => <What revert={revert} />),
  column.of(
    TEXTS.state,
    (revert) => (
      <Group gap="xs" wrap="nowrap">
        <Dot color={revertDot(revert)} />
        {formatCode(revert.state)}
      </Group>
    ),
    { width: 130, phone: 'end' },
  ),
  column.of('Reason', ({ reason }) => reason, { from: 'desktop', phone: 'line' }),
  column.number('Reverted', ({ counts }) => counts.reverted),
  column.number('Kept', ({ counts }) => counts.kept, { width: 80, phone: 'none' }),
  column.number('Held now', ({ counts }) => counts.held_now, { width: 90 }),
  column.of('By', ({ operator }) => <OperatorName by={operator} />, {
    width: 130,
    from: 'desktop',
    phone: 'none',
  }),
  column.time('Planned', ({ planned_at }) => planned_at, { width: 110, phone: 'none' }),
]

function What({ revert: { id, scope } }: { revert: Revert }) {
  const what = scopeLabel(scope, useScopeTitles())
  return (
    <PageLink
      to="/dashboard/reverts/$id"
      params={{ id: String(id) }}
      size="sm"
      c="inherit"
      fw={550}
    >
      {what.charAt(0).toUpperCase() + what.slice(1)}
    </PageLink>
  )
}

function RevertList() {
  const [{ cursor }] = useUrlState()
  const query = useQuery(revertPageQuery({ cursor }))
  return (
    <Loaded query={query} errorTitle="Could not load the reverts">
      {({ reverts, next_cursor }) => (
        <Stack gap="sm">
          <ListTable
            label="Reverts"
            rows={reverts}
            idOf={({ id }) => id}
            isStale={query.isPlaceholderData}
            empty={
              <EmptyState icon={<IconArrowBackUp />} title="No reverts yet">
                Revert a pull on its page, the pushes of a period in the menu of a platform, or a
                record in its history.
              </EmptyState>
            }
            columns={COLUMNS}
          />
          <Text size="xs" c="dimmed">
            A plan that is not started is deleted after a day.
          </Text>
          <Pager next={next_cursor} isStale={query.isPlaceholderData} />
        </Stack>
      )}
    </Loaded>
  )
}
