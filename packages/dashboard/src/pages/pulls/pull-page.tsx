import { Group, NativeSelect, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { HubCallError } from '../../api/call-hub.ts'
import { pullQuery, type TaskPage } from '../../api/pulls.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Time } from '../../components/time.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { CancelButton } from './cancel-button.tsx'
import { PendingReviews } from './pending-reviews.tsx'
import { starterLabel } from './pull-labels.ts'
import { PullProgress } from './pull-progress.tsx'
import { PullStateBadge } from './pull-state-badge.tsx'
import { RejectedRecords } from './rejected-records.tsx'
import { TaskList, TaskPager } from './task-list.tsx'
import { TEXTS } from './texts.tsx'
import { useNewest } from './use-snapshot-pull.ts'

const PAGE = 50
const STATE_CHOICES = [
  { value: '', label: TEXTS.allModules },
  { value: 'running', label: TEXTS.running },
  { value: 'queued', label: TEXTS.queued },
  { value: 'succeeded', label: TEXTS.succeeded },
  { value: 'failed', label: TEXTS.failed },
  { value: 'timed_out', label: TEXTS.timedOut },
  { value: 'cancelled', label: TEXTS.cancelled },
  { value: 'interrupted', label: TEXTS.interrupted },
  { value: 'not_reached', label: TEXTS.notReached },
  { value: 'skipped', label: TEXTS.skipped },
]

/** One pull: its progress, the result of each module, reviews and rejected records. */
export function PullPage() {
  const { id } = useParams({ from: '/dashboard/pulls/$id' })
  const [{ tasks: cursor = '', state = '' }, change] = useUrlState()
  const number = /^[1-9]\d{0,14}$/.test(id) ? Number(id) : null
  const { data, error, refetch, now } = usePull(number, { cursor, state, limit: PAGE })
  const isMissing = error instanceof HubCallError && error.status === 404
  if (number === null || isMissing) return <NotFound />
  const pull = data?.pull
  return (
    <>
      <PageHeader
        title={TEXTS.pullTitle(id)}
        description={
          pull && TEXTS.startedByAt(starterLabel(pull), <Time at={pull.requested_at} seconds />)
        }
      >
        {pull && <PullStateBadge state={pull.state} counts={pull.counts} />}
        {pull?.finished_at === null && <CancelButton pull={pull} />}
      </PageHeader>
      <Stack gap="md">
        {error && <ErrorNotice error={error} onRetry={refetch} title={TEXTS.couldNotLoadPull} />}
        <Paper withBorder p="md" component="section" aria-label={TEXTS.progress}>
          {pull ? <PullProgress pull={pull} now={now} /> : <Skeleton height={90} />}
        </Paper>
        {data && <PendingReviews pull={data.pull} tasks={data.tasks} />}
        <Paper withBorder p="md" component="section" aria-label={TEXTS.modules}>
          <Group justify="space-between" mb="md">
            <Title order={2} fz="md">
              {TEXTS.modules}
            </Title>
            <NativeSelect
              size="xs"
              aria-label={TEXTS.moduleState}
              data={STATE_CHOICES}
              value={state}
              onChange={(event) => change({ state: event.currentTarget.value, tasks: '' })}
            />
          </Group>
          {data ? (
            <>
              <TaskList tasks={data.tasks} now={now} />
              <TaskPager
                cursor={cursor}
                next={data.next_cursor}
                onPage={(next) => change({ tasks: next })}
              />
            </>
          ) : (
            <Skeleton height={160} />
          )}
        </Paper>
        {data && <RejectedRecords pull={data.pull} />}
        {pull?.finished_at === null && (
          <Text size="xs" c="dimmed">
            {TEXTS.refreshesAutomatically}
          </Text>
        )}
      </Stack>
    </>
  )
}

/** One pull with a page of its modules, in the latest known state. */
function usePull(id: number | null, page: TaskPage) {
  const { data: read, error, refetch } = useQuery(pullQuery(id, page))
  const { newest, newestTaskOf, now } = useNewest()
  const data = read?.pull.id === id ? read : undefined
  return {
    error,
    refetch,
    now,
    data: data && {
      ...data,
      pull: newest(data.pull),
      tasks: data.tasks
        .map((task) => newestTaskOf(data.pull, task))
        .filter((task) => !page.state || task.state === page.state),
    },
  }
}
