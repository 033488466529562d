/** Holds: the values that a revert has taken back, which pulls and pushes do not set again. */
import { Button, Stack, Text } from '@mantine/core'
import { IconHandStop } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { changeReverts, type Hold, holdsQuery } from '../../api/reverts.ts'
import { confirm } from '../../components/confirm.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FilterChip, FilterChips } from '../../components/filter-chip.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { ModuleTitle, PlatformTitle } from '../../components/module-title.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Pager } from '../../components/pager.tsx'
import { Ago } from '../../components/time.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { heldLabel } from './revert-labels.ts'

const FILTERS = ['platform', 'record_type', 'revert', 'record'] as const

/** All holds, or those that the URL filters. */
export function HoldList() {
  const [state, change] = useUrlState()
  const { platform, record_type, revert: revert_id, record: record_id, cursor } = state
  const query = useQuery(holdsQuery({ platform, record_type, revert_id, record_id, cursor }))
  const set = FILTERS.filter((name) => state[name])
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={760}>
        The hub refuses these values because a revert has taken them back. A hold ends when the
        platform sends another value, or when you lift it. It never ends by time.
      </Text>
      {set.length > 0 && (
        <FilterChips label="Filters">
          {set.map((name) => (
            <FilterChip
              key={name}
              label={`${name === 'record_type' ? 'Module' : name} ${state[name]}`}
              isPressed
              onClick={() => change({ [name]: null, cursor: null })}
            />
          ))}
        </FilterChips>
      )}
      <Loaded query={query} errorTitle="Could not load the holds">
        {({ holds, next_cursor, total, oldest_at }) => (
          <>
            {total > 0 && (
              <Text size="sm" fw={600}>
                {formatNumber(total)} held, oldest since <Ago at={oldest_at} />
              </Text>
            )}
            <ListTable
              label="Holds"
              rows={holds}
              idOf={({ record_id: id, revert_id: revert, path }) => `${id} ${revert} ${path}`}
              isStale={query.isPlaceholderData}
              empty={
                <EmptyState icon={<IconHandStop />} title="No holds">
                  A revert holds the values that it takes back.
                </EmptyState>
              }
              columns={COLUMNS}
            />
            <Pager next={next_cursor} isStale={query.isPlaceholderData} />
          </>
        )}
      </Loaded>
    </Stack>
  )
}

const column = columnsFor<Hold>()

const COLUMNS = [
  column.of('Record', ({ record_id, reference_number }) => (
    <PageLink to="/dashboard/records" search={{ record: String(record_id) }} size="sm">
      {reference_number}
    </PageLink>
  )),
  column.of('Held', ({ path }) => heldLabel(path), { phone: 'line' }),
  column.of(
    'Module',
    ({ platform_name, record_type }) => (
      <>
        <ModuleTitle platform={platform_name} recordType={record_type} />{' '}
        <Text span inherit c="dimmed">
          <PlatformTitle platform={platform_name} />
        </Text>
      </>
    ),
    { width: 240 },
  ),
  column.of('Revert', ({ revert_id }) => <RevertLink id={revert_id} />, { width: 110 }),
  column.time('Since', ({ held_at }) => held_at),
  column.actions('Actions', (hold) => <LiftButton recordId={hold.record_id} />, { width: 100 }),
]

/** `revert 12`, as a link. */
export function RevertLink({ id, text }: { id: number; text?: string }) {
  return (
    <PageLink
      to="/dashboard/reverts/$id"
      params={{ id: String(id) }}
      fz="inherit"
      underline="always"
    >
      {text ?? formatNumber(id)}
    </PageLink>
  )
}

/** Lifts all holds of a record. */
function LiftButton({ recordId }: { recordId: number }) {
  const client = useQueryClient()
  const canOperate = useHasRole('operator')
  if (!canOperate) return null
  return (
    <Button
      size="xs"
      variant="default"
      onClick={() =>
        confirm({
          title: 'Lift the holds of this record?',
          children:
            'The next pull or push that still has the values that were taken back sets them again.',
          action: 'Lift',
          color: 'harbour',
          onConfirm: () =>
            changeReverts(client, `/api/v1/records/${recordId}/holds`, { method: 'DELETE' }),
        })
      }
    >
      Lift…
    </Button>
  )
}

/** The held values of a record, with *Lift*. Renders nothing if there are none. */
export function RecordHolds({ recordId }: { recordId: number }) {
  const { data } = useQuery(holdsQuery({ record_id: String(recordId) }))
  const [first] = data?.holds ?? []
  if (!data || !first) return null
  const paths = data.holds.map(({ path }) => heldLabel(path)).join(', ')
  return (
    <Stack gap={4} px="md" align="flex-start" role="status">
      <Text size="sm">
        <IconHandStop size={14} aria-hidden style={{ verticalAlign: '-2px' }} />{' '}
        <b>{formatCount(data.total, 'value')} held</b> since <Ago at={data.oldest_at} /> by{' '}
        <RevertLink id={first.revert_id} text={`revert ${formatNumber(first.revert_id)}`} />:{' '}
        {paths}
      </Text>
      <LiftButton recordId={recordId} />
    </Stack>
  )
}

/** `12 held, oldest since …`, with a link to them. Renders nothing if nothing is held. */
export function HeldLink({ platform, recordType }: { platform: string; recordType?: string }) {
  const { data } = useQuery(holdsQuery({ platform, record_type: recordType, limit: '1' }))
  if (!data || data.total === 0) return null
  return (
    <PageLink
      inherit
      to="/dashboard/reverts"
      search={{ tab: 'holds', platform, ...(recordType ? { record_type: recordType } : {}) }}
    >
      {formatNumber(data.total)} held, oldest since <Ago at={data.oldest_at} />
    </PageLink>
  )
}
