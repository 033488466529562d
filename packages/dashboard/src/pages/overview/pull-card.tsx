import { Anchor, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Pull } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Time } from '../../components/time.tsx'
import { CancelButton } from '../pulls/cancel-button.tsx'
import { PullAllForm } from '../pulls/pull-all-form.tsx'
import { starterLabel } from '../pulls/pull-labels.ts'
import { PullProgress } from '../pulls/pull-progress.tsx'
import { PullStateBadge } from '../pulls/pull-state-badge.tsx'
import { useSnapshotPull } from '../pulls/use-snapshot-pull.ts'
import { TEXTS } from './texts.tsx'

const PullModules = lazy(() =>
  import('./pull-modules.tsx').then((file) => ({ default: file.PullModules })),
)

/** The height of a pull's progress, so that the page does not move when the first pull starts. */
const PROGRESS_HEIGHT = 280

/**
 * The running pull, or the last one, and the form that starts the next one. All states have the same height, so that
 * nothing moves when a pull starts or ends; the modules of the pull open over the page.
 */
export function PullCard() {
  const { isKnown, pull, tasks, now } = useSnapshotPull()
  const [areModulesShown, { open, close }] = useDisclosure(false)
  const [wasOpened, setWasOpened] = useState(false)
  const showModules = () => {
    setWasOpened(true)
    open()
  }
  const isRunning = pull?.finished_at === null
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label={TEXTS.latestSync}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" gap="xs" h={30}>
          <Title order={2} fz="md">
            {isRunning ? TEXTS.pullRunning : TEXTS.latestSync}
          </Title>
          {isRunning ? <CancelButton key={pull.id} pull={pull} /> : null}
        </Group>
        <Stack gap="xs" mih={PROGRESS_HEIGHT}>
          {!isKnown && <Skeleton height={PROGRESS_HEIGHT} />}
          {isKnown && !pull && (
            <Text size="sm" c="dimmed">
              {TEXTS.noPullsYetHint}
            </Text>
          )}
          {pull && (
            <>
              <PullHeading pull={pull} />
              <PullProgress pull={pull} now={now} isBrief />
              <Button variant="light" size="xs" onClick={showModules} w="fit-content">
                {TEXTS.showModules}
              </Button>
            </>
          )}
        </Stack>
        <PullAllForm />
      </Stack>
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

/** Which pull, how it ended, who started it and when: two lines. */
function PullHeading({ pull }: { pull: Pull }) {
  return (
    <Stack gap={4}>
      <Group gap="xs" wrap="nowrap">
        <Anchor
          size="sm"
          underline="always"
          renderRoot={(props) => (
            <Link to="/dashboard/pulls/$id" params={{ id: String(pull.id) }} {...props} />
          )}
        >
          {TEXTS.pullLink(pull.id)}
        </Anchor>
        <PullStateBadge state={pull.state} counts={pull.counts} />
      </Group>
      <Text size="sm" truncate>
        {pull.finished_at === null ? TEXTS.started : TEXTS.ended}{' '}
        <Time at={pull.finished_at ?? pull.started_at ?? pull.requested_at} />,{' '}
        {pull.finished_at === null ? '' : 'started '}
        {starterLabel(pull)}
      </Text>
    </Stack>
  )
}
