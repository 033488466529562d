/** The columns of the list of pulls: how each ended, and what it read. */
import { Badge, Group, Progress, Text, UnstyledButton } from '@mantine/core'
import type { Revert } from '@recordhub/protocol'
import { IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Dot, type DotColor } from '../../components/dot.tsx'
import { columnsFor, Dimmed } from '../../components/list-table/columns.tsx'
import type { ListColumn } from '../../components/list-table/list-table.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Clock } from '../../components/time.tsx'
import { formatCount, formatDuration, formatNumber } from '../../lib/format.ts'
import { TEXTS } from '../../texts.ts'
import { isPartial } from '../reverts/revert-labels.ts'
import { PullActions } from './pull-actions.tsx'
import { durationOf, starterLabel, waitingLabel } from './pull-labels.ts'
import { changesOf, type PullRow } from './pull-rows.ts'
import classes from './pulls.module.css'

type Shown = Extract<PullRow, { kind: 'pull' }>
type Fold = Extract<PullRow, { kind: 'fold' }>

const column = columnsFor<PullRow>()
type Options = NonNullable<Parameters<typeof column.of>[2]>

/** A column with a value for each pull, and none for a fold. */
const ofPull = (title: string, render: (row: Shown) => ReactNode, options: Options) =>
  column.of(title, (row) => (row.kind === 'pull' ? render(row) : null), options)

const countOf = (
  title: string,
  name: 'received' | 'created' | 'updated' | 'rejected' | 'not_listed',
  isBegun: (row: Shown) => boolean = () => false,
) =>
  ofPull(
    title,
    (row) => {
      const count = row.pull.counts[name]
      const color = isBegun(row) ? 'var(--orange-text)' : count === 0 ? 'dimmed' : undefined
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
    (row) => {
      return (
        <Group gap="xs" wrap="nowrap" style={{ whiteSpace: 'nowrap' }}>
          <Dot color={row.kind === 'pull' ? dotOf(row) : row.pulls[0]?.failure ? 'red' : 'green'} />
          {row.kind === 'fold' ? (
            <FoldButton fold={row} onClick={() => toggle(row.id)} />
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
      )
    },
    { width: 110 },
  ),
  ofPull('Result', (row) => <Result row={row} now={now} />, {}),
  column.of(
    TEXTS.started,
    (row) => {
      return (
        <Text span inherit c="dimmed" className={classes['range'] ?? ''}>
          {row.kind === 'pull' ? (
            <Clock at={row.pull.requested_at} hasDay={false} />
          ) : (
            <FoldRange pulls={row.pulls} />
          )}
        </Text>
      )
    },
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
    { width: 100, phone: 'none', from: 'desktop' },
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
  countOf(TEXTS.notListed, 'not_listed', ({ begun }) => begun.notListed),
  ofPull('Actions', ({ pull }) => <PullActions pull={pull} />, {
    width: 116,
    align: 'right',
    hidesTitle: true,
    phone: 'end2',
  }),
]

function dotOf({ pull: { state, failure }, begun }: Shown): DotColor {
  if (state === 'running') return 'running'
  if (failure || state === 'failed' || state === 'timed_out') return 'red'
  if (begun.rejected || begun.notListed || state === 'partial') return 'orange'
  return state === 'succeeded' ? 'green' : 'hollow'
}

const STATES: Readonly<Record<string, string>> = {
  queued: 'Queued',
  succeeded: 'Succeeded',
  partial: 'Succeeded in part',
  failed: 'Failed',
  cancelled: 'Cancelled',
  timed_out: 'Timed out',
  interrupted: 'Interrupted',
}

/** How a pull ended: what began in it is coloured, and what it repeats is not. */
function Result({ row: { pull, begun }, now }: { row: Shown; now: number }) {
  const { id, state, counts, failure, progress } = pull
  if (state === 'running') return <RunningBar pull={pull} now={now} />
  // The first of them: the columns have the other numbers.
  const repeated = [
    progress.task_states.skipped &&
      `${formatCount(progress.task_states.skipped, 'module')} skipped`,
    counts.not_listed > 0 &&
      !begun.notListed &&
      `${formatNumber(counts.not_listed)} still not listed`,
    counts.rejected > 0 && !begun.rejected && `${formatNumber(counts.rejected)} rejected again`,
  ].find(Boolean)
  const others = failure && failure.platforms > 1 ? ` and ${failure.platforms - 1} more` : ''
  return (
    <Text span inherit display="block" truncate title={failure?.error ?? undefined}>
      {failure ? (
        <Text span inherit c="var(--red-text)">
          {failure.platform_title}
          {others} failed{' '}
        </Text>
      ) : (
        !begun.rejected && !begun.notListed && <>{STATES[state] ?? state} </>
      )}
      {pull.revert && <RevertedBadge revert={pull.revert} />}
      {begun.notListed && (
        <>
          <Text span inherit c="var(--orange-text)">
            {formatNumber(counts.not_listed)} not listed
          </Text>{' '}
          <PageLink inherit to="/dashboard/inbox" search={{ tab: 'missing' }}>
            Review
          </PageLink>{' '}
        </>
      )}
      {begun.rejected && (
        <>
          <Text span inherit c="var(--orange-text)">
            {formatNumber(counts.rejected)} rejected
          </Text>{' '}
          <PageLink
            inherit
            to="/dashboard/inbox"
            search={{ tab: 'rejected', pull: String(id), state: 'all' }}
          >
            Show
          </PageLink>{' '}
        </>
      )}
      <Text span inherit c="dimmed">
        {failure ? (/HTTP \d{3}/.exec(failure.error ?? '')?.[0] ?? failure.error) : repeated}
      </Text>
    </Text>
  )
}

function RevertedBadge({ revert }: { revert: Revert }) {
  return (
    <Badge color="gray" variant="light" mr={4}>
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
        {waiting && (
          <Text span inherit c="dimmed">
            {' '}
            {waitingLabel(waiting.platform_title, waiting.since, now)}
          </Text>
        )}
      </Text>
    </Group>
  )
}

function FoldButton({ fold, onClick }: { fold: Fold; onClick: () => void }) {
  const { pulls, isOpen } = fold
  return (
    <UnstyledButton fz="inherit" c="inherit" aria-expanded={isOpen} onClick={onClick}>
      <Group gap={4} wrap="nowrap" component="span">
        <IconChevronRight
          size={14}
          aria-hidden
          style={isOpen ? { transform: 'rotate(90deg)' } : {}}
        />
        {formatNumber(pulls.length)} pulls{' '}
        {pulls[0]?.failure ? 'with the same failure' : 'without changes'}
      </Group>
    </UnstyledButton>
  )
}

/** The time of a fold, and the numbers that its pulls repeat. */
function FoldRange({ pulls }: { pulls: Fold['pulls'] }) {
  const [last, first] = [pulls[0], pulls.at(-1)]
  if (!first || !last) return null
  const changed = pulls.reduce((sum, pull) => sum + changesOf(pull), 0)
  const { not_listed, rejected } = last.counts
  const more = [
    changed > 0 && `${formatNumber(changed)} changed`,
    not_listed > 0 && `${formatNumber(not_listed)} still not listed`,
    rejected > 0 && `${formatNumber(rejected)} rejected again`,
  ].filter(Boolean)
  return (
    <>
      <Clock at={first.requested_at} hasDay={false} /> –{' '}
      <Clock at={last.requested_at} hasDay={false} />
      {more.length > 0 && `, ${more.join(', ')}`}
    </>
  )
}
