import { Alert, Button, Group, List, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import type { UrlState } from '../../../lib/url-state.ts'
import { TEXTS } from '../texts.tsx'
import { acceptedOf, percentOf, type ReplayRun } from './replay-run.ts'
import { BULK_FILTERS, useRefreshRejected } from './use-rejected.ts'
import { type RunState, useReplayRun } from './use-replay-run.ts'

const MAX_REASONS = 5
const PHASE_LABELS: Readonly<Record<RunState['phase'], string>> = {
  testing: TEXTS.testRunning,
  tested: TEXTS.testResults,
  replaying: TEXTS.replayingOrderReceived,
  replayed: TEXTS.replayFinished,
  stopped: TEXTS.replayStopped,
}

/** A dry run with its results, then the replay itself. */
export function ReplayAll({ state, onClose }: { state: UrlState; onClose: () => void }) {
  // The filters at the time the dialog was opened, so that the replay matches the test.
  const [filter] = useState(() =>
    Object.fromEntries(BULK_FILTERS.flatMap((name) => (state[name] ? [[name, state[name]]] : []))),
  )
  const refresh = useRefreshRejected()
  const [onReplayed] = useState(() => () => void refresh())
  const { phase, run, error, start, stop } = useReplayRun(filter, onReplayed)
  useEffect(() => void start(true), [start])
  const isRunning = phase === 'testing' || phase === 'replaying'
  const accepted = acceptedOf(run)
  return (
    <Stack>
      <Text size="sm" role="status">
        {PHASE_LABELS[phase]}
      </Text>
      <Progress value={percentOf(run)} animated={isRunning} aria-label={TEXTS.progressReplay} />
      <Text size="xs" c="dimmed">
        {TEXTS.doneOfTotal(formatNumber(run.done), formatNumber(run.total))}
      </Text>
      <Figures run={run} />
      {run.reasons.length > 0 && <Reasons reasons={run.reasons} />}
      {error !== null && <ErrorNotice error={error} onRetry={() => void start(true)} />}
      <Group justify="flex-end">
        {isRunning && (
          <Button variant="default" onClick={stop}>
            {TEXTS.stop}
          </Button>
        )}
        {phase === 'tested' && (
          <Button disabled={accepted === 0} onClick={() => void start(false)}>
            {accepted === 0 ? TEXTS.nothingToReplay : TEXTS.replayCount(formatNumber(accepted))}
          </Button>
        )}
        {!isRunning && (
          <Button variant="default" onClick={onClose}>
            {TEXTS.close}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Figures({ run }: { run: ReplayRun }) {
  const { created, updated, unchanged, stale, rejected } = run.counts
  const figures = [
    [TEXTS.newRecords, created],
    [TEXTS.updatedRecords, updated],
    [TEXTS.unchangedCount, unchanged],
    [TEXTS.olderThanStored, stale],
    [TEXTS.rejectedAgainCount, rejected],
  ] as const
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, sm: 5 }} spacing="xs">
      {figures.map(([label, count]) => (
        <Stack key={label} gap={0}>
          <Text fw={700} fz="xl">
            {formatNumber(count)}
          </Text>
          <Text size="xs" c="dimmed">
            {label}
          </Text>
        </Stack>
      ))}
    </SimpleGrid>
  )
}

function Reasons({ reasons }: { reasons: ReplayRun['reasons'] }) {
  const rest = reasons.slice(MAX_REASONS).reduce((sum, { count }) => sum + count, 0)
  return (
    <Alert color="orange" variant="light" title={TEXTS.rejectedAgain}>
      <List size="sm">
        {reasons.slice(0, MAX_REASONS).map(({ message, count }) => (
          <List.Item key={message}>
            {formatNumber(count)} × {message}
          </List.Item>
        ))}
        {rest > 0 && <List.Item>{formatCount(rest, 'other')}</List.Item>}
      </List>
    </Alert>
  )
}
