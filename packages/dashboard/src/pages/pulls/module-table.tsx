import { Box, Button, Group, Progress, Text } from '@mantine/core'
import type { Pull, PullTask } from '@recordhub/protocol'
import { useState } from 'react'
import { snapshot } from '../../api/live.ts'
import { usePlatforms } from '../../api/platforms.ts'
import { Dot, type DotColor } from '../../components/dot.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { type ListColumn, ListTable } from '../../components/list-table/list-table.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Tinted } from '../../components/tinted.tsx'
import { formatCount, formatDuration, formatNumber } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { TEXTS } from '../../texts.ts'
import { itemOfTask } from '../inbox/filter-items.ts'
import { RevertButton } from '../reverts/revert-button.tsx'
import {
  durationOf,
  progressLabel,
  pullStateLabel,
  readModeLabel,
  shownCounts,
  taskPercent,
  waitingLabel,
} from './pull-labels.ts'
import classes from './pulls.module.css'

/** The counts of a pull; while it runs, below its progress. */
export function PullProgress(props: {
  pull: Pull
  /** On the hub's clock. */
  now: number
}) {
  const { pull, now } = props
  const { percent } = pull.progress
  const isRunning = pull.finished_at === null
  const duration = durationOf(pull, now)
  return (
    <>
      {isRunning && (
        <Group gap="8px 24px" p="md">
          {percent !== null && <b className={classes['percent']}>{percent} %</b>}
          <Box flex="1 1 16rem" miw={0}>
            <Progress
              size={8}
              mb={8}
              value={percent ?? 100}
              striped={percent === null}
              animated={percent === null}
              color="var(--fill)"
              aria-label={`Progress of the pull${percent === null ? ', unknown' : ''}`}
            />
            <Text size="sm" c="var(--text-2)">
              {[
                progressLabel(pull, now).replace(/^\d+ %( · )?/, ''),
                duration === null ? 'waiting to start' : formatDuration(duration),
              ]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </Box>
        </Group>
      )}
      <dl className={classes['counts']}>
        {shownCounts(pull.counts).map(({ label, value, to }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd data-attention={(to && value > 0) || undefined}>
              {to && value > 0 ? (
                <PageLink inherit c="inherit" to="/dashboard/inbox" search={to(pull.id)}>
                  {formatNumber(value)}
                </PageLink>
              ) : (
                formatNumber(value)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

type TaskRow = { task: PullTask }

/** Fewer unchanged modules than these are not hidden. */
const MIN_HIDDEN = 5

/**
 * The modules of a pull: those to look at first, then those that are being read. Below each is why it failed and what its
 * read warns of. Many that are done without a change are shown on request.
 */
export function ModuleTable(props: {
  tasks: PullTask[]
  now: number
  /** Of the pull whose modules can be reverted; null while it runs. */
  pullId?: number | null
}) {
  const { tasks, now, pullId = null } = props
  const [showsAll, setShowsAll] = useState(false)
  const unchanged = tasks.filter(isUnchanged).length
  const hidden = showsAll || unchanged < MIN_HIDDEN || unchanged === tasks.length ? 0 : unchanged
  const rows = tasks
    .filter((task) => hidden === 0 || !isUnchanged(task))
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .map((task): TaskRow => ({ task }))
  return (
    <>
      <ListTable
        isPlain
        label="Modules of the pull"
        rows={rows}
        idOf={({ task }) => `${task.platform_name} ${task.record_type}`}
        empty={
          <Text size="sm" c="dimmed" p="md">
            No modules
          </Text>
        }
        columns={[
          ...columnsAt(now),
          ...(pullId !== null && tasks.some(hasChanged) ? [revertColumn(pullId)] : []),
        ]}
        noteOf={({ task }) => hasNote(task) && <Note task={task} />}
      />
      {hidden > 0 && (
        <Group justify="space-between" gap="xs" px="md" py="xs">
          <Button variant="subtle" size="compact-xs" onClick={() => setShowsAll(true)}>
            Show {formatNumber(hidden)} more
          </Button>
          <Text size="xs" c="dimmed">
            done, nothing changed
          </Text>
        </Group>
      )}
    </>
  )
}

function hasNote({ error, warnings, not_listed }: PullTask): boolean {
  return error !== null || warnings.length > 0 || not_listed > 0
}

/** Why a module failed, what its read warns of, and where that is dealt with. */
function Note({ task }: { task: PullTask }) {
  const { error, warnings, not_listed, platform_name } = task
  const item = itemOfTask(useStore(snapshot)?.inbox.items ?? [], task)
  const platform = usePlatforms().data?.find((one) => one.platform_name === platform_name)
  const isReview = item?.kind === 'missing_review'
  return (
    <>
      {[
        error,
        not_listed > 0 &&
          `${formatCount(not_listed, 'record')} ${not_listed === 1 ? 'was' : 'were'} not in this read.${isReview ? ' They stay as they are until you decide.' : ''}`,
        ...warnings,
      ]
        .filter(Boolean)
        .join(' ')}{' '}
      {item ? (
        <PageLink inherit underline="always" to="/dashboard/inbox" search={{ item: item.key }}>
          {isReview ? 'Review' : 'In the inbox'}
        </PageLink>
      ) : (
        error !== null &&
        platform && (
          <PageLink
            inherit
            underline="always"
            to="/dashboard/platforms/$id"
            params={{ id: String(platform.id) }}
          >
            Show the platform
          </PageLink>
        )
      )}
    </>
  )
}

const hasChanged = ({ created, updated, missing }: PullTask) => created + updated + missing > 0

function isUnchanged(task: PullTask): boolean {
  return dotOf(task) === 'green' && !hasChanged(task) && task.warnings.length === 0
}

const ORDER: readonly DotColor[] = ['red', 'orange', 'running', 'hollow', 'green']

function rankOf(task: PullTask): number {
  return ORDER.indexOf(dotOf(task))
}

function dotOf(task: PullTask): DotColor {
  const { status } = pullStateLabel(task.state, task)
  if (status === 'failed' || status === 'timed_out') return 'red'
  if (status === 'attention') return 'orange'
  if (status === 'running') return 'running'
  return status === 'succeeded' ? 'green' : 'hollow'
}

const column = columnsFor<TaskRow>()

const COUNTS = [
  ['received', TEXTS.received],
  ['created', TEXTS.new],
  ['updated', TEXTS.updated],
  ['unchanged', 'Unchanged'],
  ['rejected', TEXTS.rejected],
  ['not_listed', TEXTS.notListed],
] as const

/** A module that has not been read has no counts, except of what it has received. */
function isKnown({ started_at, state }: PullTask, name: string): boolean {
  const isRead = state === 'running' || state === 'succeeded'
  return started_at !== null && (isRead || name === 'received')
}

/** @param now on the hub's clock. */
const columnsAt = (now: number): ListColumn<TaskRow>[] => [
  column.of(TEXTS.module, ({ task }) => (
    <Group gap="xs" wrap="nowrap">
      <Dot color={dotOf(task)} />
      <ModuleName task={task} />
    </Group>
  )),
  column.of(TEXTS.state, ({ task }) => <TaskState task={task} now={now} />, { phone: 'line' }),
  ...COUNTS.map(([name, title]) =>
    column.number(title, ({ task }) => (isKnown(task, name) ? task[name] : null), {
      width: 92,
      from: 'desktop',
      phone: name === 'received' ? 'labelled' : 'none',
    }),
  ),
  column.of(
    TEXTS.time,
    ({ task }) => {
      const duration = durationOf(task, now)
      return duration === null ? '—' : formatDuration(duration)
    },
    { width: 84, align: 'right', phone: 'end' },
  ),
]

/** A link to the records of a module; plain text if its platform was removed. */
function ModuleName({ task }: { task: PullTask }) {
  const { platform_name: platform, record_type, module_name, platform_title } = task
  const isKnown = usePlatforms().data?.some((one) => one.platform_name === platform)
  return (
    <span>
      {isKnown ? (
        <PageLink
          inherit
          c="inherit"
          fw={550}
          to="/dashboard/records"
          search={{ platform, record_type }}
        >
          {module_name}
        </PageLink>
      ) : (
        <Text span inherit fw={550}>
          {module_name}
        </Text>
      )}{' '}
      <Tinted>{platform_title}</Tinted>
    </span>
  )
}

const revertColumn = (pullId: number) =>
  column.actions(
    'Actions',
    ({ task }) =>
      hasChanged(task) && (
        <RevertButton
          scope={{
            pull_id: pullId,
            platform: task.platform_name,
            record_type: task.record_type,
          }}
          title={`Revert ${task.module_name} of pull ${pullId}?`}
          size="compact-xs"
          leftSection={null}
        />
      ),
    { width: 104 },
  )

const COLORS: Partial<Record<DotColor, string>> = {
  red: 'var(--red-text)',
  orange: 'var(--orange-text)',
}

function TaskState({ task, now }: { task: PullTask; now: number }) {
  const percent = taskPercent(task)
  const { state, waiting_since, platform_title, accepted, held } = task
  if (state !== 'running') {
    const mode = readModeLabel(task)
    return (
      <>
        <Text span inherit c={COLORS[dotOf(task)] ?? 'var(--text-2)'}>
          {pullStateLabel(state, task).label}
          {accepted > 0 && `, ${formatNumber(accepted)} accepted`}
          {held > 0 && `, ${formatNumber(held)} held`}
        </Text>
        {mode !== '' && <Tinted> · {mode}</Tinted>}
      </>
    )
  }
  return (
    <Group gap="xs" wrap="nowrap">
      {percent !== null && (
        <Progress
          w={72}
          flex="none"
          size={4}
          color="var(--fill)"
          value={percent}
          aria-label={`Progress of ${platform_title} · ${task.module_name}`}
        />
      )}
      <span>
        {percent === null ? 'Running' : `${percent} %`}{' '}
        {waiting_since !== null && (
          <Tinted>{waitingLabel(platform_title, waiting_since, now)}</Tinted>
        )}
      </span>
    </Group>
  )
}
