import { Anchor, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { Pull } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Time } from '../../components/time.tsx'
import { CancelButton } from '../pulls/cancel-button.tsx'
import { PullProgress } from '../pulls/pull-progress.tsx'
import { triggerInWords } from '../pulls/pull-words.ts'
import { TaskList } from '../pulls/task-list.tsx'
import { PullAllForm } from './pull-all-form.tsx'
import { ScheduleHint } from './schedule-hint.tsx'
import { useLatestPull } from './use-latest-pull.ts'

/** The latest sync and the way to a new one; while a pull runs, how far it is. */
export function PullCard() {
  const { isKnown, pull, tasks, cursor, next, setCursor, error, refetch } = useLatestPull()
  const isRunning = pull?.finished_at === null
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label="Latest sync">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="xs" mih={30}>
          <Title order={2} fz="md">
            {isRunning ? 'A pull is running' : 'Latest sync'}
          </Title>
          {isRunning ? <CancelButton pull={pull} /> : null}
        </Group>
        {!isKnown && <Skeleton height={120} />}
        {isKnown && pull && <PullHeading pull={pull} />}
        {isKnown && pull && <PullProgress pull={pull} />}
        {isKnown && !pull && (
          <Text size="sm" c="dimmed">
            Nothing has been pulled yet.
          </Text>
        )}
        {error && (
          <ErrorNotice error={error} onRetry={refetch} title="The pull could not be read" />
        )}
        {isRunning ? (
          <TaskList tasks={tasks} cursor={cursor} next={next} onPage={setCursor} />
        ) : (
          <>
            <PullAllForm />
            <ScheduleHint />
          </>
        )}
      </Stack>
    </Paper>
  )
}

/** When, by whom, and how it ended. */
function PullHeading({ pull }: { pull: Pull }) {
  const at = pull.finished_at ?? pull.started_at ?? pull.requested_at
  return (
    <Group gap="xs">
      <StatusBadge status={pull.state} />
      <Text size="sm">
        <Anchor
          underline="always"
          renderRoot={(props) => (
            <Link to="/dashboard/pulls/$id" params={{ id: String(pull.id) }} {...props} />
          )}
        >
          Pull {pull.id}
        </Anchor>{' '}
        {triggerInWords(pull.trigger)}, <Time at={at} />
      </Text>
    </Group>
  )
}
