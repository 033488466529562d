import { Text } from '@mantine/core'
import type { ModuleCompleteness, PlatformSummary, RejectedPushGroup } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { rejectedPushGroupsQuery } from '../../api/rejected-pushes.ts'
import { AcceptButton } from '../../components/group-actions.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { columnsFor, Difference, Dimmed } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Section } from '../../components/section.tsx'
import { Clock } from '../../components/time.tsx'
import { Tinted } from '../../components/tinted.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { TEXTS } from '../../texts.ts'
import { TestButton } from '../platforms/test-button.tsx'
import { type UnequalRow, unequalRows } from './completeness-sums.ts'
import { PlatformName } from './platform-name.tsx'

const SHOWN = 8

/** A row for each module whose records are not equal on both sides. */
export function UnequalModules(props: {
  modules: readonly ModuleCompleteness[]
  platforms: readonly PlatformSummary[]
}) {
  const { modules, platforms } = props
  const rows = unequalRows(modules, platforms)
  const [isAll, setAll] = useState(false)
  const hasRejected = rows.some(({ why }) => why === 'rejected')
  const { data } = useQuery({ ...rejectedPushGroupsQuery({}), enabled: hasRejected })
  if (rows.length === 0) return null
  const shown = isAll ? rows : rows.slice(0, SHOWN)
  const rest = rows.length - shown.length
  return (
    <Section title="Is it all there?" end={<span>{summary(rows, modules.length)}</span>} mt="lg">
      <ListTable
        label="Modules that are not equal"
        rows={shown.map((row) => ({ ...row, groups: groupsOf(row, data?.groups ?? []) }))}
        idOf={({ platform, module, why }) => `${platform.id} ${module?.module_id ?? why}`}
        columns={COLUMNS}
        more={
          rest === 0
            ? null
            : { label: `Show ${rest} more`, isLoading: false, onLoad: () => setAll(true) }
        }
      />
    </Section>
  )
}

/** `2 of 16 modules are not equal, 3 could not be read`. */
function summary(rows: readonly UnequalRow[], modules: number): string {
  const count = (...kinds: UnequalRow['why'][]) =>
    rows.filter(({ why }) => kinds.includes(why)).reduce((sum, row) => sum + row.modules, 0)
  const [failed, unread] = [count('failed'), count('unread')]
  const unequal = rows.reduce((sum, row) => sum + row.modules, 0) - failed - unread
  return [
    `${unequal} of ${formatCount(modules, 'module')} ${unequal === 1 ? 'is' : 'are'} not equal`,
    ...(failed > 0 ? [`${failed} could not be read`] : []),
    ...(unread > 0 ? [`${unread} not pulled yet`] : []),
  ].join(', ')
}

function groupsOf(
  { platform, module }: UnequalRow,
  groups: readonly RejectedPushGroup[],
): RejectedPushGroup[] {
  return groups.filter(
    ({ platform_name, record_type, digest, accepted_at }) =>
      platform_name === platform.platform_name &&
      record_type === module?.record_type &&
      digest !== null &&
      accepted_at === null,
  )
}

type Row = UnequalRow & { groups: readonly RejectedPushGroup[] }

const column = columnsFor<Row>()
const QUIET = { size: 'xs', variant: 'subtle', color: 'gray' } as const

const COLUMNS = [
  column.of(TEXTS.module, ({ platform, module, modules }) => (
    <PlatformName id={platform.id}>
      <Text span inherit fw={600}>
        {module ? module.module_name : formatCount(modules, 'module')}
      </Text>{' '}
      <Tinted color="faint">{platform.display_title}</Tinted>
    </PlatformName>
  )),
  column.of(
    TEXTS.platform,
    ({ listed }) => (listed === null ? <Dimmed>unknown</Dimmed> : formatNumber(listed)),
    { width: 88, align: 'right', phone: 'labelled' },
  ),
  column.number('Hub', ({ here }) => here, { width: 80 }),
  column.of('Difference', ({ difference }) => <Difference difference={difference} />, {
    width: 100,
    align: 'right',
  }),
  column.of('Why', (row) => <Dimmed>{whyOf(row)}</Dimmed>, { phone: 'line' }),
  column.actions('Actions', actionsOf, { width: 180, phone: 'line' }),
]

function whyOf({ module, why, verifiedAt, difference, groups }: Row): ReactNode {
  if (why === 'failed') {
    if (verifiedAt === null) return 'never verified'
    return (
      <>
        last verified at <Clock at={verifiedAt} />
      </>
    )
  }
  if (why === 'missing_undecided' && difference === 0) return 'another pull decides'
  if (why === 'held') {
    return `a revert holds values of ${formatCount(module?.held ?? 0, 'record')} that the platform still sends`
  }
  return (why === 'rejected' && groups.length === 1 && groups[0]?.message) || REASONS[why]
}

const REASONS: Readonly<Record<Exclude<UnequalRow['why'], 'failed' | 'held'>, string>> = {
  unread: 'not pulled yet',
  missing_undecided: 'not in the last complete pull',
  rejected: 'rejected records',
  total_differs: 'the platform’s total differs from the records that it lists',
  no_total: 'the platform reports no total',
  no_success: 'the platform does not report success',
  unverified: 'not verified yet',
}

function actionsOf({ platform, module, why, groups }: Row): ReactNode {
  if (why === 'failed') {
    return <TestButton platform={platform} label={TEXTS.test} leftSection={null} {...QUIET} />
  }
  if (!module) return null
  const search = { platform: platform.platform_name, record_type: module.record_type }
  if (why === 'missing_undecided') {
    return (
      <LinkButton {...QUIET} to="/dashboard/inbox" search={{ tab: 'missing', ...search }}>
        Review
      </LinkButton>
    )
  }
  if (why === 'held') {
    return (
      <LinkButton {...QUIET} to="/dashboard/reverts" search={{ tab: 'holds', ...search }}>
        Show
      </LinkButton>
    )
  }
  if (why !== 'rejected') return null
  const [group] = groups
  return (
    <>
      <LinkButton {...QUIET} to="/dashboard/inbox" search={{ tab: 'rejected', ...search }}>
        Show
      </LinkButton>
      {groups.length === 1 && group && <AcceptButton group={group} />}
    </>
  )
}
