/** Holds: the values that a revert has taken back, which pulls and pushes do not set again. */
import { Button, Group, Menu, Stack, Text } from '@mantine/core'
import type { Hold, HoldsSummary, ModuleCompleteness } from '@recordhub/protocol'
import { IconHandStop } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useModules, useTitles } from '../../api/platforms.ts'
import { changeReverts, holdsQuery } from '../../api/reverts.ts'
import { confirm } from '../../components/confirm.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FilterChip, FilterChips } from '../../components/filter-chip.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PlatformTitle } from '../../components/module-title.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Pager } from '../../components/pager.tsx'
import { Ago, Time } from '../../components/time.tsx'
import { Tinted } from '../../components/tinted.tsx'
import { formatCode, formatNumber } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { heldLabel, holdsByPath } from './revert-labels.ts'

const FILTERS = ['platform', 'record_type', 'revert', 'record'] as const

/** All holds, or those that the URL filters. */
export function HoldList() {
  const [state, change] = useUrlState()
  const { platform, record_type, revert: revert_id, record: record_id, cursor } = state
  const query = useQuery(holdsQuery({ platform, record_type, revert_id, record_id, cursor }))
  const titles = useTitles()
  const modules = useModules(platform ?? null)
  const set = FILTERS.filter((name) => state[name])
  const labelOf = (name: (typeof FILTERS)[number], value: string) => {
    if (name === 'platform') return `${TEXTS.platform} ${titles.ofPlatform(value)}`
    if (name !== 'record_type') return `${formatCode(name)} ${value}`
    const module = platform && modules.find((one) => one.record_type === value)
    return `${TEXTS.module} ${module ? module.module_name : value}`
  }
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
              label={labelOf(name, state[name] ?? '')}
              isPressed
              onClick={() => change({ [name]: null, cursor: null })}
            />
          ))}
        </FilterChips>
      )}
      <Loaded query={query} errorTitle="Could not load the holds">
        {({ holds, next_cursor, summary }) => (
          <>
            {summary.records > 0 && (
              <Text size="sm" fw={600}>
                <HeldText {...summary} />
              </Text>
            )}
            <ListTable
              label="Holds"
              rows={holds}
              idOf={({ record_id: id, revert_id: revert, holds: kind }) =>
                `${id} ${revert} ${kind}`
              }
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
  column.of('Record', RecordLink),
  column.text('Name', ({ full_name }) => full_name, { phone: 'line' }),
  column.of('Held', heldLabel, { phone: 'line' }),
  column.of('Module', ModuleOfPlatform, { width: 220 }),
  column.of('Revert', ({ revert_id }) => <RevertLink id={revert_id} />, { width: 96 }),
  column.time('Since', ({ since }) => since),
  column.actions('Actions', (hold) => <Lift hold={hold} />, { width: 100 }),
]

export function RecordLink(props: Pick<Hold, 'record_id' | 'reference_number'>) {
  const { record_id, reference_number } = props
  return (
    <PageLink to="/dashboard/records" search={{ record: String(record_id) }} size="sm">
      {reference_number}
    </PageLink>
  )
}

export function ModuleOfPlatform(props: Pick<Hold, 'module_name' | 'platform_name'>) {
  const { module_name, platform_name } = props
  return (
    <>
      {module_name}{' '}
      <Tinted>
        <PlatformTitle platform={platform_name} />
      </Tinted>
    </>
  )
}

/** `revert 12`, as a link for those who may read reverts. */
export function RevertLink({ id }: { id: number }) {
  const canOperate = useHasRole('operator')
  if (!canOperate) return `revert ${formatNumber(id)}`
  return (
    <PageLink
      to="/dashboard/reverts/$id"
      params={{ id: String(id) }}
      fz="inherit"
      underline="always"
    >
      revert {formatNumber(id)}
    </PageLink>
  )
}

/** Lifts one hold that a revert has on a record, or all holds of the record. Renders nothing for viewers. */
function Lift({ hold }: { hold: Hold }) {
  const client = useQueryClient()
  const canOperate = useHasRole('operator')
  if (!canOperate) return null
  const { record_id, reference_number, revert_id } = hold
  const path = `/api/v1/records/${record_id}/holds`
  const lift = (what: string, query = '') =>
    confirm({
      title: `Lift ${what} of ${reference_number}?`,
      children:
        'The next pull or push that still has the values that were taken back sets them again.',
      action: 'Lift',
      color: 'harbour',
      onConfirm: () => changeReverts(client, path + query, { method: 'DELETE' }),
    })
  const choices = holdsByPath(hold).map(({ path: one, label }) => ({
    ...{ path: one, label },
    onClick: () =>
      lift(`the hold on ${label}`, `?revert_id=${revert_id}&path=${encodeURIComponent(one)}`),
  }))
  const [only, ...others] = choices
  const button = (
    <Button
      size="xs"
      variant="default"
      aria-label={`Lift the holds of revert ${revert_id} on ${reference_number}…`}
      {...(only && others.length === 0 ? { onClick: only.onClick } : {})}
    >
      Lift…
    </Button>
  )
  if (others.length === 0) return button
  return (
    <Menu position="bottom-end">
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        <Menu.Item onClick={() => lift('all holds')}>All holds of the record</Menu.Item>
        {choices.map(({ path: one, label, onClick }) => (
          <Menu.Item key={one} onClick={onClick}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** The holds on a record, each with *Lift*. Renders nothing if there are none. */
export function RecordHolds({ recordId }: { recordId: number }) {
  const { data } = useQuery(holdsQuery({ record_id: String(recordId) }))
  if (!data || data.holds.length === 0) return null
  return (
    <Stack gap={4} px="md" pb="xs" align="flex-start" role="status">
      {data.holds.map((hold) => (
        <Group gap="xs" key={hold.revert_id}>
          <Text size="sm">
            <IconHandStop size={14} aria-hidden style={{ verticalAlign: '-2px' }} /> <b>Held</b>{' '}
            since <Ago at={hold.since} /> by <RevertLink id={hold.revert_id} />: {heldLabel(hold)}
          </Text>
          <Lift hold={hold} />
        </Group>
      ))}
    </Stack>
  )
}

/** `12 held, oldest since …` */
function HeldText({ records, oldest_since }: HoldsSummary) {
  return (
    <>
      {formatNumber(records)} held, oldest since <Time at={oldest_since} />
    </>
  )
}

type HeldCountProps = { module: ModuleCompleteness }

/** The number of held records of a module, with a link to the holds of its platform. */
export function HeldCount({ module: { platform_name, record_type, held } }: HeldCountProps) {
  if (held === 0) return null
  return (
    <>
      <PageLink
        inherit
        underline="always"
        to="/dashboard/reverts"
        search={{ tab: 'holds', platform: platform_name, record_type }}
      >
        {formatNumber(held)} held
      </PageLink>
      .{' '}
    </>
  )
}

/** The number of held records of a platform, with a link to them. Renders nothing if nothing is held. */
export function HeldLink({ platform }: { platform: string }) {
  const { data } = useQuery(holdsQuery({ platform, limit: '1' }))
  if (!data || data.summary.records === 0) return null
  return (
    <PageLink inherit to="/dashboard/reverts" search={{ tab: 'holds', platform }}>
      <HeldText {...data.summary} />
    </PageLink>
  )
}
