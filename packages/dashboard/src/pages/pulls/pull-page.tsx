import {
  Alert,
  Button,
  Code,
  Group,
  NativeSelect,
  Paper,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import type { MissingReview, Pull, PullTask } from '@recordhub/protocol'
import { IconHelpCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { HubCallError } from '../../api/call-hub.ts'
import { missingReviewPageQuery } from '../../api/inbox.ts'
import { useTitles } from '../../api/platforms.ts'
import { pullQuery, type TaskPage } from '../../api/pulls.ts'
import { rejectedPushPageQuery } from '../../api/rejected-pushes.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ModuleTitle, PlatformTitle } from '../../components/module-title.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { BackLink, PageHeader } from '../../components/page-header.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Time } from '../../components/time.tsx'
import { formatCode, formatCount, formatDuration, formatNumber } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { TEXTS } from '../../texts.ts'
import { Decisions } from '../activity/missing/review-card.tsx'
import { referenceOf } from '../activity/rejected/advice.ts'
import { RevertButton } from '../reverts/revert-button.tsx'
import { ModuleTable, PullProgress } from './module-table.tsx'
import { durationOf, modulesLabel, starterLabel } from './pull-labels.ts'
import { CancelButton } from './pull-now-button.tsx'
import { changesOf } from './pull-rows.ts'
import { useNewest } from './use-snapshot-pull.ts'

const PAGE = 50
const STATES = [
  ...['running', 'queued', 'succeeded', 'failed', 'timed_out', 'cancelled', 'interrupted'],
  ...['not_reached', 'skipped'],
]
const STATE_CHOICES = [
  { value: '', label: 'All modules' },
  ...STATES.map((value) => ({ value, label: formatCode(value) })),
]
const TITLES: Readonly<Record<string, string>> = {
  running: 'is running',
  queued: 'is queued',
  succeeded: 'succeeded',
  partial: 'succeeded in part',
  failed: 'failed',
  cancelled: 'was cancelled',
  timed_out: 'timed out',
  interrupted: 'was interrupted',
}

/** One pull: its progress, the result of each module, reviews and rejected records. */
export function PullPage() {
  const { id } = useParams({ from: '/dashboard/pulls/$id' })
  const [{ tasks: cursor = '', state = '' }, change] = useUrlState()
  const number = /^[1-9]\d{0,14}$/.test(id) ? Number(id) : null
  const { data, error, refetch, now } = usePull(number, { cursor, state, limit: PAGE })
  const isMissing = error instanceof HubCallError && error.status === 404
  if (number === null || isMissing) return <NotFound />
  const pull = data?.pull
  const duration = pull ? durationOf(pull, now) : null
  return (
    <>
      <BackLink to="/dashboard/pulls">{TEXTS.pulls}</BackLink>
      <PageHeader
        isOfOne
        title={pull ? `Pull ${id} ${TITLES[pull.state] ?? ''}` : `Pull ${id}`}
        description={
          pull && (
            <>
              Started {starterLabel(pull)}, <Time at={pull.requested_at} seconds />
              {pull.finished_at !== null &&
                duration !== null &&
                `, took ${formatDuration(duration)}`}
            </>
          )
        }
      >
        {pull?.finished_at === null && <CancelButton pull={pull} />}
        {pull && pull.finished_at !== null && changesOf(pull) > 0 && (
          <RevertButton scope={{ pull_id: pull.id }} title={`Revert pull ${id}?`} size="sm" />
        )}
      </PageHeader>
      <Stack gap="md">
        {error && <ErrorNotice error={error} onRetry={refetch} title="Could not load the pull" />}
        <Paper withBorder component="section" aria-label="Progress">
          {pull ? <PullProgress pull={pull} now={now} /> : <Skeleton height={140} />}
        </Paper>
        {data && <PendingReviews pull={data.pull} tasks={data.tasks} />}
        <section aria-label={TEXTS.modules}>
          <Group justify="space-between" mb="sm">
            <Group gap="xs" align="baseline">
              <Title order={2} fz="md">
                {TEXTS.modules}
              </Title>
              <Text size="sm" c="dimmed">
                {pull && modulesLabel(pull)}
              </Text>
            </Group>
            <NativeSelect
              size="xs"
              aria-label="Module state"
              data={STATE_CHOICES}
              value={state}
              onChange={(event) => change({ state: event.currentTarget.value, tasks: '' })}
            />
          </Group>
          <Paper withBorder style={{ overflow: 'clip' }}>
            {data ? (
              <ModuleTable
                tasks={data.tasks}
                now={now}
                pullId={data.pull.finished_at === null ? null : data.pull.id}
              />
            ) : (
              <Skeleton height={160} />
            )}
          </Paper>
          {data && (cursor !== '' || data.next_cursor !== null) && (
            <Group gap="xs" mt="sm">
              <Button
                size="xs"
                variant="default"
                disabled={cursor === ''}
                onClick={() => change({ tasks: '' })}
              >
                First modules
              </Button>
              <Button
                size="xs"
                variant="default"
                disabled={data.next_cursor === null}
                onClick={() => change({ tasks: data.next_cursor })}
              >
                Next modules
              </Button>
            </Group>
          )}
        </section>
        {data && <RejectedRecords pull={data.pull} />}
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

/** The open reviews of missing records that a pull created, or whose records it did not contain either. */
function PendingReviews({ pull, tasks }: { pull: Pull; tasks: PullTask[] }) {
  const { data } = useQuery(missingReviewPageQuery({ state: 'pending' }, pull.finished_at))
  const isNotListed = ({ platform_name, record_type }: MissingReview) =>
    tasks.some(
      (task) =>
        task.not_listed > 0 &&
        task.platform_name === platform_name &&
        task.record_type === record_type,
    )
  const reviews = (data?.missing_reviews ?? []).filter(
    (review) => review.pull_id === pull.id || isNotListed(review),
  )
  return reviews.map((review) => <PendingReview key={review.id} review={review} />)
}

function PendingReview({ review }: { review: MissingReview }) {
  const { id, module_name, missing, records } = review
  const platform = useTitles().ofPlatform(review.platform_name)
  return (
    <Alert
      color="yellow"
      icon={<IconHelpCircle />}
      title={`${formatNumber(missing)} of ${formatCount(records, 'record')} of ${module_name} missing`}
    >
      <Stack gap="xs">
        <Text size="sm">
          {platform} did not list them. Review these records before they are marked missing. If the
          platform had a fault, keep them unchanged.
        </Text>
        <PageLink
          size="sm"
          c="inherit"
          underline="always"
          to="/dashboard/inbox"
          search={{ tab: 'missing', review: String(id) }}
        >
          View {formatCount(missing, 'record')}
        </PageLink>
        <Decisions reviews={[review]} />
      </Stack>
    </Alert>
  )
}

const SHOWN = 10

/** The first rejected records of a pull, with reference number and reason. Renders nothing if there are none. */
function RejectedRecords({ pull: { id: pullId, finished_at } }: { pull: Pull }) {
  const query = { pull: String(pullId), limit: String(SHOWN) }
  const page = useQuery(rejectedPushPageQuery(query, finished_at))
  const error = errorInPlaceOfData(page)
  if (error) {
    const title = 'Could not load the rejected records'
    return <ErrorNotice error={error} onRetry={() => void page.refetch()} title={title} />
  }
  const rejected = page.data?.rejected_pushes ?? []
  if (rejected.length === 0) return null
  const list = { tab: 'rejected', pull: String(pullId), state: 'all' }
  return (
    <Paper withBorder p="md" component="section" aria-label="Rejected records">
      <Group justify="space-between" mb="sm">
        <Title order={2} fz="md">
          Rejected records
        </Title>
        <PageLink size="sm" to="/dashboard/inbox" search={list}>
          All rejected records
        </PageLink>
      </Group>
      <Stack gap="sm" component="ul" p={0} m={0}>
        {rejected.map((one) => (
          <Stack key={one.id} gap={2} component="li">
            <Text size="sm">
              <PageLink
                fw={500}
                to="/dashboard/inbox"
                search={{ ...list, rejected: String(one.id) }}
              >
                {referenceOf(one.body).replace(/^—$/, 'No reference number')}
              </PageLink>
              {' · '}
              <PlatformTitle platform={one.platform_name} />
              {' · '}
              <ModuleTitle platform={one.platform_name} recordType={one.record_type} />
              {one.count > 1 && ` · ${formatNumber(one.count)} times`}
            </Text>
            <Text size="sm">{one.message}</Text>
            <Code w="fit-content">{one.code}</Code>
          </Stack>
        ))}
      </Stack>
    </Paper>
  )
}
