/** The columns of the list of pulls: how each ended, and what it read. */
import { ActionIcon, Badge, Group, Menu, Progress, Text, UnstyledButton } from '@mantine/core'
import type { Pull, Revert } from '@recordhub/protocol'
import { IconArrowBackUp, IconChevronRight, IconDots, IconEye, IconLink } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { copyLink } from '../../components/copy-button.tsx'
import { Dot, type DotColor } from '../../components/dot.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { columnsFor, Dimmed } from '../../components/list-table/columns.tsx'
import type { ListColumn } from '../../components/list-table/list-table.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Clock } from '../../components/time.tsx'
import { Tinted } from '../../components/tinted.tsx'
import { formatCode, formatCount, formatDuration, formatNumber } from '../../lib/format.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { PlanDialog } from '../reverts/revert-button.tsx'
import { isPartial } from '../reverts/revert-labels.ts'
import {
  durationOf,
  type PullIssues,
  pullStateLabel,
  starterLabel,
  waitingLabel,
} from './pull-labels.ts'
import { CancelButton } from './pull-now-button.tsx'
import { changesOf, type PullRow } from './pull-rows.ts'
import classes from './pulls.module.css'

type Shown = Extract<PullRow, { kind: 'pull' }>

const column = columnsFor<PullRow>()
type Options = NonNullable<Parameters<typeof column.of>[2]>

/** A column with a value for each pull, and none for a fold. */
const ofPull = (title: string, render: (row: Shown) => ReactNode, options: Options) =>
  column.of(title, (row) => (row.kind === 'pull' ? render(row) : null), options)

const countOf = (
  title: string,
  name: 'received' | 'created' | 'updated' | 'rejected' | 'not_listed',
  isBegun: (pull: Shown['pull']) => boolean = () => false,
) =>
  ofPull(
    title,
    (row) => {
      const count = row.pull.counts[name]
      const color = isBegun(row.pull) ? 'var(--orange-text)' : count === 0 ? 'dimmed' : undefined
      return (
        <Text span inherit {...(color ? { c: color } : {})}>
          {formatNumber(count)}
        </Text>
      )
    },
    { width: 80, align: 'right', phone: 'none', from: 'desktop' },
  )

/** @param now on the hub's clock. */
export const columnsAt = (now: number, toggle: (id: string) => void): ListColumn<PullRow>[] => [
  column.of(
    TEXTS.pull,
    (row) => (
      <Group gap="xs" wrap="nowrap" style={{ whiteSpace: 'nowrap' }}>
        <Dot color={row.kind === 'pull' ? dotOf(row) : row.pulls[0]?.failure ? 'red' : 'green'} />
        {row.kind === 'fold' ? (
          <FoldButton
            count={row.pulls.length}
            isFailure={row.pulls[0]?.failure != null}
            isOpen={row.isOpen}
            onClick={() => toggle(row.id)}
          />
        ) : (
          <PageLink
            size="sm"
            fw={550}
            c="inherit"
            to="/dashboard/pulls/$id"
            params={{ id: row.id }}
          >
            {formatNumber(row.pull.id)}
          </PageLink>
        )}
      </Group>
    ),
    { width: 110 },
  ),
  ofPull('Result', (row) => <Result row={row} now={now} />, {}),
  column.of(
    TEXTS.started,
    (row) => (
      <Text span inherit c="dimmed" className={classes['range'] ?? ''}>
        {row.kind === 'pull' ? (
          <Clock at={row.pull.requested_at} hasDay={false} />
        ) : (
          <FoldRange pulls={row.pulls} timeOf={({ requested_at }) => requested_at} hasDay={false} />
        )}
      </Text>
    ),
    { width: 96, phone: 'end' },
  ),
  ofPull(
    'By',
    ({ pull }) => {
      const by = starterLabel(pull).replace(/^by /, '')
      return (
        <Text span inherit c="dimmed" display="block" truncate title={by}>
          {by}
        </Text>
      )
    },
    { width: 120, phone: 'none', from: 'desktop' },
  ),
  ofPull(
    TEXTS.time,
    ({ pull }) => {
      const duration = durationOf(pull, now)
      return <Dimmed>{duration === null ? '—' : formatDuration(duration)}</Dimmed>
    },
    { width: 72, align: 'right', phone: 'none' },
  ),
  countOf(TEXTS.received, 'received'),
  countOf(TEXTS.new, 'created'),
  countOf('Changed', 'updated'),
  countOf(TEXTS.rejected, 'rejected', ({ begun }) => begun.rejected),
  countOf(TEXTS.notListed, 'not_listed', ({ begun }) => begun.not_listed),
  ofPull('Actions', ({ pull }) => <PullActions pull={pull} />, {
    width: 116,
    align: 'right',
    hidesTitle: true,
    phone: 'end2',
  }),
]

function dotOf({ pull: { state, failure, begun } }: Shown): DotColor {
  if (state === 'running') return 'running'
  if (failure || state === 'failed' || state === 'timed_out') return 'red'
  if (begun.rejected || begun.not_listed || state === 'partial') return 'orange'
  return state === 'succeeded' ? 'green' : 'hollow'
}

/** How a pull ended: what began in it is coloured, and what it repeats is not. */
function Result({ row: { pull }, now }: { row: Shown; now: number }) {
  const { id, state, counts, begun, failure, progress } = pull
  if (state === 'running') return <RunningBar pull={pull} now={now} />
  // The first of them: the columns have the other numbers.
  const repeated = [
    progress.task_states.skipped &&
      `${formatCount(progress.task_states.skipped, 'module')} skipped`,
    counts.not_listed > 0 &&
      !begun.not_listed &&
      `${formatNumber(counts.not_listed)} still not listed`,
    counts.rejected > 0 && !begun.rejected && `${formatNumber(counts.rejected)} rejected again`,
  ].find(Boolean)
  const others = failure && failure.platforms > 1 ? ` and ${failure.platforms - 1} more` : ''
  return (
    <Text span inherit display="block" truncate title={failure?.error ?? undefined}>
      {failure ? (
        <Tinted color="red">
          {failure.platform_title}
          {others} failed{' '}
        </Tinted>
      ) : (
        !begun.rejected &&
        !begun.not_listed &&
        `${state === 'partial' ? 'Succeeded in part' : formatCode(state)} `
      )}
      {pull.revert && <RevertedBadge revert={pull.revert} />}
      {begun.not_listed && (
        <>
          <Tinted color="orange">{formatNumber(counts.not_listed)} not listed</Tinted>{' '}
          {/* Whose first section is the open reviews of what it did not list. */}
          <PageLink inherit to="/dashboard/pulls/$id" params={{ id: String(id) }}>
            Review
          </PageLink>{' '}
        </>
      )}
      {begun.rejected && (
        <>
          <Tinted color="orange">{formatNumber(counts.rejected)} rejected</Tinted>{' '}
          <PageLink
            inherit
            to="/dashboard/inbox"
            search={{ tab: 'rejected', pull: String(id), state: 'all' }}
          >
            Show
          </PageLink>{' '}
        </>
      )}
      <Tinted>
        {failure ? (/HTTP \d{3}/.exec(failure.error ?? '')?.[0] ?? failure.error) : repeated}
      </Tinted>
    </Text>
  )
}

function RevertedBadge({ revert }: { revert: Revert }) {
  return (
    <Badge color="gray" mr={4}>
      {isPartial(revert) ? 'reverted in part by ' : 'reverted by '}
      <OperatorName by={revert.started_by} />
    </Badge>
  )
}

function RunningBar({ pull, now }: { pull: Shown['pull']; now: number }) {
  const { percent, waiting } = pull.progress
  return (
    <Group gap="xs" wrap="nowrap">
      <Progress
        w={72}
        flex="none"
        size={4}
        color="var(--fill)"
        value={percent ?? 100}
        striped={percent === null}
        animated={percent === null}
        aria-label={`Progress of pull ${pull.id}`}
      />
      <Text span inherit truncate>
        {percent === null ? 'Running' : `${percent} %`}
        {waiting && <Tinted> {waitingLabel(waiting.platform_title, waiting.since, now)}</Tinted>}
      </Text>
    </Group>
  )
}

/** How many pulls fold; shows them. */
export function FoldButton(props: {
  count: number
  isFailure: boolean
  isOpen: boolean
  onClick: () => void
}) {
  const { count, isFailure, isOpen, onClick } = props
  return (
    <UnstyledButton fz="inherit" c="inherit" aria-expanded={isOpen} onClick={onClick}>
      <Group gap={4} wrap="nowrap" component="span">
        <IconChevronRight
          size={14}
          aria-hidden
          style={isOpen ? { transform: 'rotate(90deg)' } : {}}
        />
        {formatNumber(count)} pulls {isFailure ? 'with the same failure' : 'without changes'}
      </Group>
    </UnstyledButton>
  )
}

/** The time of a fold, and the numbers that its pulls repeat. */
export function FoldRange<One extends Pick<Pull, 'counts'>>(props: {
  pulls: readonly One[]
  timeOf: (pull: One) => string | null
  hasDay?: boolean
}) {
  const { pulls, timeOf, hasDay = true } = props
  const [last, first] = [pulls[0], pulls.at(-1)]
  if (!first || !last) return null
  const [from, to] = [timeOf(first), timeOf(last)]
  const changed = pulls.reduce((sum, pull) => sum + changesOf(pull), 0)
  const { not_listed, rejected } = last.counts
  const more = [
    changed > 0 && `${formatNumber(changed)} changed`,
    not_listed > 0 && `${formatNumber(not_listed)} not listed`,
    rejected > 0 && `${formatNumber(rejected)} rejected`,
  ].filter(Boolean)
  return (
    <>
      {from && <Clock at={from} hasDay={hasDay} />} – {to && <Clock at={to} hasDay={hasDay} />}
      {more.length > 0 && `, ${more.join(', ')}`}
    </>
  )
}

/** A running pull is cancelled, a finished one opened or reverted. A phone shows only *Cancel*. */
function PullActions({ pull }: Pick<Shown, 'pull'>) {
  const canOperate = useHasRole('operator')
  const [isReverting, setReverting] = useState(false)
  if (pull.finished_at === null) return <CancelButton pull={pull} isQuiet />
  if (pull.revert) {
    return (
      <LinkButton
        {...{ size: 'xs', variant: 'subtle', color: 'gray', px: 6 }}
        className={classes['notOnPhone'] ?? ''}
        to="/dashboard/reverts/$id"
        params={{ id: String(pull.revert.id) }}
      >
        Show revert
      </LinkButton>
    )
  }
  const name = `pull ${formatNumber(pull.id)}`
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon
            {...{ size: 'sm', variant: 'subtle', color: 'gray' }}
            className={classes['notOnPhone'] ?? ''}
            aria-label={`Actions of ${name}`}
          >
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component={Link}
            to={`/dashboard/pulls/${pull.id}`}
            leftSection={<IconEye size={16} aria-hidden />}
          >
            Open
          </Menu.Item>
          <Menu.Item
            leftSection={<IconLink size={16} aria-hidden />}
            onClick={() => copyLink(`/dashboard/pulls/${pull.id}`)}
          >
            Copy link
          </Menu.Item>
          {canOperate && changesOf(pull) > 0 && (
            <Menu.Item
              leftSection={<IconArrowBackUp size={16} aria-hidden />}
              onClick={() => setReverting(true)}
            >
              Revert…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isReverting && (
        <PlanDialog
          scope={{ pull_id: pull.id }}
          title={`Revert ${name}?`}
          onClose={() => setReverting(false)}
        />
      )}
    </>
  )
}

/** The state of a pull, or of a platform or module in a pull. A success with rejected or unlisted records is orange. */
export function PullStateBadge({ state, counts }: { state: string; counts: PullIssues }) {
  const { status, label } = pullStateLabel(state, counts)
  return <StatusBadge status={status} label={label} />
}
