import { Paper, Progress, Skeleton, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Pull, Snapshot } from '@recordhub/protocol'
import { IconChevronDown } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { snapshot, stateTime } from '../../api/live.ts'
import { scheduleQuery } from '../../api/schedule.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PullLink } from '../../components/page-link.tsx'
import { Clock, Time } from '../../components/time.tsx'
import { formatCount, formatDuration, formatSeconds } from '../../lib/format.ts'
import { scheduleLabel } from '../../lib/settings-labels.ts'
import { useStore } from '../../lib/store.ts'
import { useNow } from '../../lib/use-now.ts'
import { TEXTS } from '../../texts.ts'
import { PauseButton, PullAllForm } from '../pulls/pull-all-form.tsx'
import { PullStateBadge } from '../pulls/pull-columns.tsx'
import {
  durationOf,
  platformsLabel,
  progressLabel,
  starterLabel,
  startLabel,
} from '../pulls/pull-labels.ts'
import { CancelButton } from '../pulls/pull-now-button.tsx'
import { useSnapshotPull } from '../pulls/use-snapshot-pull.ts'
import classes from './overview.module.css'

const PullModules = lazy(() =>
  import('./pull-modules.tsx').then((file) => ({ default: file.PullModules })),
)

/**
 * The last pull with the form that starts the next one, and below it the running pull or the next one. Both lines have the
 * same height in all states, so that nothing moves when a pull starts or ends.
 */
export function SyncCard() {
  const { isKnown, pull, tasks, now } = useSnapshotPull()
  const current = useStore(snapshot)
  const last = current?.pull.last ?? null
  const running = pull?.finished_at === null ? pull : null
  const [areModulesShown, { open, close }] = useDisclosure(false)
  const [wasOpened, setWasOpened] = useState(false)
  const showModules = () => {
    setWasOpened(true)
    open()
  }
  return (
    <Paper withBorder mt="lg" component="section" aria-label={TEXTS.latestSync}>
      <div className={classes['line']}>
        <Title order={2} fz="md">
          {TEXTS.latestSync}
        </Title>
        {isKnown ? (
          <LastPull pull={running ? last : pull} current={current} />
        ) : (
          <div className={classes['grow']}>
            <Skeleton h={10} w={320} />
          </div>
        )}
        <PullAllForm />
      </div>
      <div className={classes['strip']}>
        {running ? <RunningPull pull={running} now={now} /> : <NextPull />}
        {pull && (
          <IconButton label="Show modules" tooltip="Show modules" onClick={showModules}>
            <IconChevronDown size={16} aria-hidden />
          </IconButton>
        )}
      </div>
      {pull && wasOpened && (
        <Suspense>
          <PullModules
            pull={pull}
            tasks={tasks}
            now={now}
            opened={areModulesShown}
            onClose={close}
          />
        </Suspense>
      )}
    </Paper>
  )
}

/** When the last pull ended, what it read, how long it took, and who started it. */
function LastPull({ pull, current }: { pull: Pull | null; current: Snapshot | null }) {
  if (pull?.finished_at == null) {
    return (
      <Text span inherit c="dimmed" className={classes['when'] ?? ''}>
        {TEXTS.noPullsYet}
      </Text>
    )
  }
  const { id, state, counts, finished_at, progress } = pull
  const duration = durationOf(pull, Date.parse(finished_at))
  const read = progress.task_states.succeeded ?? 0
  return (
    <span className={`${classes['when']} ${classes['dots']}`}>
      <Time at={finished_at} />
      {state !== 'succeeded' && (
        <span>
          <PullStateBadge state={state} counts={counts} />
        </span>
      )}
      {[
        (current && platformsLabel(pull, current)) ?? [],
        `${read} of ${formatCount(progress.tasks_total, 'module')}`,
        ...(duration === null ? [] : [formatDuration(duration)]),
        starterLabel(pull),
      ]
        .flat()
        .map((fact) => (
          <Text key={fact} span inherit c="var(--text-3)" visibleFrom="sm">
            {fact}
          </Text>
        ))}
      <Text span inherit visibleFrom="sm">
        <PullLink id={id} inherit underline="always" />
      </Text>
    </span>
  )
}

function RunningPull({ pull, now }: { pull: Pull; now: number }) {
  const { percent } = pull.progress
  const label = [progressLabel(pull, now), startLabel(pull, now)].filter(Boolean)
  return (
    <>
      <Progress
        className={classes['progress'] ?? ''}
        size={4}
        value={percent ?? 100}
        color="var(--fill)"
        striped={percent === null}
        animated={percent === null}
        aria-label={`Progress of pull ${pull.id}`}
      />
      <span className={classes['grow']} role="status">
        {label.join(' · ')}
      </span>
      <CancelButton key={pull.id} pull={pull} />
    </>
  )
}

/** When the schedule starts the next pull. */
function NextPull() {
  const pull = useStore(snapshot)?.pull
  const schedule = useQuery(scheduleQuery()).data?.schedule
  const isPaused = pull?.schedule_paused ?? false
  const next = pull?.next_run_at ?? null
  const now = stateTime(useNow(next !== null))
  const pattern = schedule?.pattern ?? null
  return (
    <>
      <span className={`${classes['grow']} ${classes['dots']}`}>
        {isPaused ? (
          <span className={classes['orange']}>
            <b>Pulls are paused</b>
            {schedule?.paused_since && (
              <>
                {' '}
                by <OperatorName by={schedule.paused_by} /> since{' '}
                <Clock at={schedule.paused_since} />
              </>
            )}
            . Pushes go on.
          </span>
        ) : !pull ? (
          <Skeleton h={10} w={200} />
        ) : next === null ? (
          <span>No schedule: pulls start only on request</span>
        ) : (
          <span>Next pull in {formatSeconds(Date.parse(next) - now)}</span>
        )}
        {pattern && !isPaused && <span>{scheduleLabel(pattern).toLowerCase() || pattern}</span>}
      </span>
      {pattern && <PauseButton isPaused={isPaused} />}
    </>
  )
}
