import { Alert, Button, Group, List, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import type { UrlState } from '../../../lib/url-state.ts'
import { acceptedOf, percentOf, type ReplayRun } from './replay-run.ts'
import { MEANT, useRereadRejected } from './use-rejected.ts'
import { type RunState, useReplayRun } from './use-replay-run.ts'

const MOST_REASONS = 5
const WORDS: Readonly<Record<RunState['phase'], string>> = {
  trying: 'Trying what would come of it. Nothing is written.',
  tried: 'This is what a replay would do. Nothing was written yet.',
  replaying: 'Replaying, in the order in which they came.',
  replayed: 'Done. This is what came of it.',
  stopped: 'Stopped. What was replayed until then stays replayed.',
}

/** A dry run with its figures, then the replay itself. */
export function ReplayAll({ state, onClose }: { state: UrlState; onClose: () => void }) {
  // As it was when the dialog was opened: what was tried is what is replayed.
  const [meant] = useState(() =>
    Object.fromEntries(MEANT.flatMap((name) => (state[name] ? [[name, state[name]]] : []))),
  )
  const reread = useRereadRejected()
  const [onReplayed] = useState(() => () => void reread())
  const { phase, run, error, begin, stop } = useReplayRun(meant, onReplayed)
  useEffect(() => void begin(true), [begin])
  const isRunning = phase === 'trying' || phase === 'replaying'
  const accepted = acceptedOf(run)
  return (
    <Stack>
      <Text size="sm" role="status">
        {WORDS[phase]}
      </Text>
      <Progress value={percentOf(run)} animated={isRunning} aria-label="How far it is" />
      <Text size="xs" c="dimmed">
        {formatNumber(run.done)} of {formatNumber(run.total)}
      </Text>
      <Figures run={run} isTried={phase === 'trying' || phase === 'tried'} />
      {run.reasons.length > 0 && <Reasons reasons={run.reasons} />}
      {error !== null && <ErrorNotice error={error} onRetry={() => void begin(true)} />}
      <Group justify="flex-end">
        {isRunning && (
          <Button variant="default" onClick={stop}>
            Stop
          </Button>
        )}
        {phase === 'tried' && (
          <Button disabled={accepted === 0} onClick={() => void begin(false)}>
            {accepted === 0 ? 'Nothing to replay' : `Replay ${formatNumber(accepted)}`}
          </Button>
        )}
        {!isRunning && (
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Figures({ run, isTried }: { run: ReplayRun; isTried: boolean }) {
  const { created, updated, unchanged, stale, rejected } = run.counts
  const figures = [
    [isTried ? 'would be new records' : 'new records', created],
    [isTried ? 'would change a record' : 'changed a record', updated],
    [isTried ? 'would change nothing' : 'changed nothing', unchanged],
    ['older than what is stored', stale],
    ['refused again', rejected],
  ] as const
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, sm: 5 }} spacing="xs">
      {figures.map(([words, count]) => (
        <Stack key={words} gap={0}>
          <Text fw={700} fz="xl">
            {formatNumber(count)}
          </Text>
          <Text size="xs" c="dimmed">
            {words}
          </Text>
        </Stack>
      ))}
    </SimpleGrid>
  )
}

function Reasons({ reasons }: { reasons: ReplayRun['reasons'] }) {
  const rest = reasons.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0)
  return (
    <Alert color="orange" variant="light" title="Refused again, and stay here">
      <List size="sm">
        {reasons.slice(0, MOST_REASONS).map(({ message, count }) => (
          <List.Item key={message}>
            {formatNumber(count)} × {message}
          </List.Item>
        ))}
        {rest > 0 && <List.Item>{formatCount(rest, 'other')}</List.Item>}
      </List>
    </Alert>
  )
}
