import { Progress, Stack, Text } from '@mantine/core'
import type { Pull } from '@recordhub/protocol'
import { PullCounts } from './pull-counts.tsx'
import { modulesLabel, progressLabel, pullStateLabel } from './pull-labels.ts'
import { TEXTS } from './texts.tsx'

/** The progress of a pull: bar, records, modules, duration. Its height never changes. */
export function PullProgress({
  pull,
  now,
  isBrief = false,
}: {
  pull: Pull
  /** On the hub's clock. */
  now: number
  /** Shows each label on one line, and the same counts for every pull. */
  isBrief?: boolean
}) {
  return (
    <Stack gap="xs">
      <PullBar pull={pull} />
      <Text size="sm" c="dimmed" truncate={isBrief}>
        {progressLabel(pull, now)}
      </Text>
      <Text size="sm" c="dimmed" truncate={isBrief}>
        {modulesLabel(pull, now)}
      </Text>
      <PullCounts counts={pull.counts} isBrief={isBrief} />
    </Stack>
  )
}

function PullBar({ pull }: { pull: Pull }) {
  const isRunning = pull.finished_at === null
  const { percent } = pull.progress
  const isUnknown = isRunning && percent === null
  return (
    <Progress
      size="lg"
      value={isRunning ? (percent ?? 100) : 100}
      striped={isUnknown}
      animated={isUnknown}
      color={isRunning ? 'harbour' : pullStateLabel(pull.state, pull.counts).color}
      aria-label={isUnknown ? TEXTS.progressOfPullUnknown : TEXTS.progressOfPull}
    />
  )
}
