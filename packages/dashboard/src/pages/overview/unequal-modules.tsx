import { Anchor, Paper, Text, VisuallyHidden } from '@mantine/core'
import type { ModuleCompleteness, PlatformSummary, RejectedPushGroup } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { rejectedPushGroupsQuery } from '../../api/rejected-pushes.ts'
import { AcceptButton } from '../../components/group-actions.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { Difference } from '../../components/list-table/columns.tsx'
import { Section } from '../../components/section.tsx'
import { Clock } from '../../components/time.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { TestButton } from '../platforms/test-button.tsx'
import { type UnequalRow, unequalRows } from './completeness-sums.ts'
import classes from './overview.module.css'
import { PlatformName } from './platform-name.tsx'

const SHOWN = 8

/**
 * A row for each module whose records are not equal on both sides. The first page does not load the table of all lists, which
 * has 14 KB.
 */
export function UnequalModules(props: {
  modules: readonly ModuleCompleteness[]
  platforms: readonly PlatformSummary[]
}) {
  const { modules, platforms } = props
  const rows = unequalRows(modules, platforms)
  const [isAll, setAll] = useState(false)
  const hasRejected = rows.some(({ why }) => why === 'rejected')
  const { data: rejected } = useQuery({ ...rejectedPushGroupsQuery({}), enabled: hasRejected })
  if (rows.length === 0) return null
  return (
    <Section title="Is it all there?" end={<span>{summary(rows, modules.length)}</span>} mt="lg">
      <Paper withBorder>
        <table className={classes['equal']}>
          <thead>
            <tr>
              <th>Module</th>
              <th className={classes['number']}>Platform</th>
              <th className={classes['number']}>Hub</th>
              <th className={classes['number']}>Difference</th>
              <th>Why</th>
              <th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, isAll ? rows.length : SHOWN).map((row) => (
              <Row
                key={`${row.platform.id} ${row.module?.module_id ?? row.why}`}
                row={row}
                groups={groupsOf(row, rejected?.groups ?? [])}
              />
            ))}
          </tbody>
        </table>
        {rows.length > SHOWN && (
          <div className={classes['footLine']}>
            <Anchor component="button" fz="inherit" onClick={() => setAll(!isAll)}>
              {isAll ? 'Show fewer' : `Show ${rows.length - SHOWN} more`}
            </Anchor>
          </div>
        )}
      </Paper>
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

type RowProps = { row: UnequalRow; groups: readonly RejectedPushGroup[] }

function Row({ row, groups }: RowProps) {
  const { platform, module, modules, listed, here, difference, why } = row
  return (
    <tr>
      <td>
        <PlatformName id={platform.id}>
          <Text span inherit fw={600}>
            {module ? module.module_name : formatCount(modules, 'module')}
          </Text>{' '}
          <span className={classes['quiet']}>{platform.display_title}</span>
        </PlatformName>
      </td>
      <td className={classes['number']} data-label="platform">
        {listed === null ? <span className={classes['quiet']}>unknown</span> : formatNumber(listed)}
      </td>
      <td className={classes['number']} data-label="hub">
        {formatNumber(here)}
      </td>
      <td className={classes['number']}>
        <Difference difference={difference || null} />
      </td>
      <td className={classes['wide']}>
        <Text span inherit c="dimmed">
          <Why row={row} groups={groups} />
        </Text>
      </td>
      <td className={`${classes['wide']} ${classes['number']}`}>
        {why === 'failed' && (
          <TestButton platform={platform} label="Test" leftSection={null} {...QUIET} />
        )}
        {module && <RowActions row={row} groups={groups} />}
      </td>
    </tr>
  )
}

function Why({ row: { module, why, verifiedAt, difference }, groups }: RowProps) {
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

const QUIET = { size: 'xs', variant: 'subtle', color: 'gray' } as const

function RowActions({ row, groups }: RowProps) {
  const { platform, module, why } = row
  const search = { platform: platform.platform_name, record_type: module?.record_type ?? '' }
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
