import { Group, Progress, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconChevronRight, IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { snapshot, stateTime } from '../../api/live.ts'
import { pullPageQuery } from '../../api/pulls.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { scheduleQuery } from '../../api/schedule.ts'
import { Dot, type DotColor } from '../../components/dot.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { type ListColumn, ListTable } from '../../components/list-table/list-table.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Pager } from '../../components/pager.tsx'
import { Clock, Time } from '../../components/time.tsx'
import { formatCount, formatDuration, formatNumber, formatSeconds } from '../../lib/format.ts'
import { scheduleLabel } from '../../lib/settings-labels.ts'
import { useStore } from '../../lib/store.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { useNow } from '../../lib/use-now.ts'
import { COMMON_TEXTS as TEXTS } from '../../texts.ts'
import { CancelButton } from './cancel-button.tsx'
import { PauseButton, PullAllForm } from './pull-all-form.tsx'
import { durationOf, starterLabel, waitingLabel } from './pull-labels.ts'
import { changesOf, type PullRow, toPullRows } from './pull-rows.ts'
import classes from './pulls.module.css'
import { useNewest } from './use-snapshot-pull.ts'

/** The history of pulls, and the schedule. */
export function PullsPage() {
  const { data } = useQuery(scheduleQuery())
  const canOperate = useHasRole('operator')
  return (
    <>
      <PageHeader title={TEXTS.pulls} description={<ScheduleText />}>
        {canOperate && (
          <LinkButton variant="default" to="/dashboard/reverts">
            Reverts
          </LinkButton>
        )}
        {data?.schedule.pattern && <PauseButton isPaused={data.schedule.paused} />}
        <PullAllForm />
      </PageHeader>
      <PullTable />
    </>
  )
}

/** The schedule of pulls, and when the next one starts. */
function ScheduleText() {
  const schedule = useQuery(scheduleQuery())
  const {
    pattern = null,
    paused,
    paused_since,
    paused_by,
    next_run_at,
  } = schedule.data?.schedule ?? {}
  const now = stateTime(useNow(next_run_at != null))
  const isClockKnown = useStore(snapshot) !== null
  if (errorInPlaceOfData(schedule)) return 'Could not load the schedule'
  if (!schedule.data) return 'Loading the schedule'
  if (pattern === null) return 'No schedule: pulls start only on request'
  if (paused) {
    return (
      <>
        Paused by <OperatorName by={paused_by ?? null} /> since <Time at={paused_since ?? null} />.
        Pushes are still accepted.
      </>
    )
  }
  const label = scheduleLabel(pattern) || `Cron pattern ${pattern}`
  // Without a snapshot, the clock of the hub is unknown.
  if (next_run_at == null || !isClockKnown) return label
  return `${label}, the next in ${formatSeconds(Date.parse(next_run_at) - now)}`
}

const days = new Intl.DateTimeFormat('en-US', { month: 'short', day: '2-digit', year: 'numeric' })
const dayOf = (at: string | number) => days.format(new Date(at))

function dayLabel(at: string, now: number): string {
  const day = dayOf(at)
  if (day === dayOf(now)) return 'Today'
  return day === dayOf(now - 86_400_000) ? 'Yesterday' : day
}

/** All stored pulls, newest first. Neighbours that are alike fold. */
function PullTable() {
  const [{ cursor = '' }] = useUrlState()
  const page = useQuery(pullPageQuery(cursor))
  const { data, refetch, isPlaceholderData } = page
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const { newest, now } = useNewest()
  const navigate = useNavigate()
  const error = errorInPlaceOfData(page)
  if (error) {
    return <ErrorNotice error={error} onRetry={refetch} title="Could not load the pulls" />
  }
  const pages = { hasNewer: cursor !== '', hasOlder: data?.next_cursor != null }
  const isOpen = (id: string) => opened.has(id)
  const toggle = (id: string) => setOpened(new Set([id]).symmetricDifference(opened))
  return (
    <Stack gap="sm">
      <ListTable
        label={TEXTS.pulls}
        rows={data && toPullRows(data.pulls.map(newest), isOpen, pages, dayOf)}
        idOf={({ id }) => id}
        isStale={isPlaceholderData}
        empty={<NoPulls isFirstPage={cursor === ''} />}
        onOpen={(row) =>
          row.kind === 'pull'
            ? void navigate({ to: '/dashboard/pulls/$id', params: { id: row.id } })
            : toggle(row.id)
        }
        spanOf={(row) => row.kind === 'day' && <Day day={row} now={now} />}
        lookOf={(row) => {
          if (row.kind === 'pull') return row.isFolded ? 'sunken' : undefined
          return row.kind === 'day' ? 'heading' : 'quiet'
        }}
        columns={columnsAt(now, toggle)}
      />
      {data && data.pulls.length > 0 && (
        <Text size="xs" c="dimmed">
          Coloured: the pull in which it began. Later pulls repeat the number until someone decides.
        </Text>
      )}
      {data && <Pager next={data.next_cursor} isStale={isPlaceholderData} />}
    </Stack>
  )
}

function Day({ day, now }: { day: Extract<PullRow, { kind: 'day' }>; now: number }) {
  const { at, pulls, changed, isPart } = day
  return (
    <>
      {dayLabel(at, now)}{' '}
      <Text span inherit c="dimmed">
        {formatCount(pulls, 'pull')}
        {isPart && ' on this page'}, {formatNumber(changed)} with changes
      </Text>
    </>
  )
}

function NoPulls({ isFirstPage }: { isFirstPage: boolean }) {
  return isFirstPage ? (
    <EmptyState
      icon={<IconDownload />}
      title={TEXTS.noPullsYet}
      action={
        <LinkButton to="/dashboard" variant="light">
          {TEXTS.goToOverview}
        </LinkButton>
      }
    >
      After you have registered a platform, start a pull, or wait for the schedule.
    </EmptyState>
  ) : (
    <EmptyState icon={<IconDownload />} title="No older pulls">
      Pulls are deleted after the retention period.
    </EmptyState>
  )
}

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
    { width: 84, align: 'right', phone: 'none', from: 'desktop' },
  )

/** @param now on the hub's clock. */
const columnsAt = (now: number, toggle: (id: string) => void): ListColumn<PullRow>[] => [
  column.of(
    TEXTS.pull,
    (row) => {
      if (row.kind === 'day') return null
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
  ofPull('Result', (row) => <Result row={row} now={now} />, { phone: 'line' }),
  column.of(
    TEXTS.started,
    (row) => {
      if (row.kind === 'day') return null
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
  ofPull('By', ({ pull }) => starterLabel(pull).replace(/^by /, ''), {
    width: 120,
    phone: 'none',
    from: 'desktop',
  }),
  ofPull(
    TEXTS.time,
    ({ pull }) => {
      const duration = durationOf(pull, now)
      return duration === null ? '—' : formatDuration(duration)
    },
    { width: 80, align: 'right', phone: 'none' },
  ),
  countOf(TEXTS.received, 'received'),
  countOf(TEXTS.new, 'created'),
  countOf(TEXTS.updated, 'updated'),
  countOf(TEXTS.rejected, 'rejected', ({ begun }) => begun.rejected),
  countOf(TEXTS.notListed, 'not_listed', ({ begun }) => begun.notListed),
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
  const repeated = [
    counts.not_listed > 0 &&
      !begun.notListed &&
      `${formatNumber(counts.not_listed)} still not listed`,
    counts.rejected > 0 && !begun.rejected && `${formatNumber(counts.rejected)} rejected again`,
    progress.task_states.skipped &&
      `${formatCount(progress.task_states.skipped, 'module')} skipped`,
  ].filter(Boolean)
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
        {failure
          ? (/HTTP \d{3}/.exec(failure.error ?? '')?.[0] ?? failure.error)
          : repeated.join(', ')}
      </Text>
    </Text>
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
      <CancelButton pull={pull} />
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
