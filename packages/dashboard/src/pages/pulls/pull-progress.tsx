import { Progress, Stack, Text } from '@mantine/core'
import type { Pull } from '@recordhub/protocol'
import { PullCounts } from './pull-counts.tsx'
import { progressInWords } from './pull-words.ts'
import { useNow } from './use-now.ts'

/** How far a pull is: its bar, what came, how long it takes. */
export function PullProgress({ pull }: { pull: Pull }) {
  const isRunning = pull.finished_at === null
  const now = useNow(isRunning)
  const { percent } = pull.progress
  return (
    <Stack gap="sm">
      {isRunning && (
        <Progress
          size="lg"
          value={percent ?? 100}
          striped={percent === null}
          animated={percent === null}
          aria-label={
            percent === null ? 'Progress of the pull, not known yet' : 'Progress of the pull'
          }
        />
      )}
      <Text size="sm" c="dimmed">
        {isRunning && percent !== null && `${percent} % · `}
        {progressInWords(pull, now)}
      </Text>
      <PullCounts counts={pull.counts} />
    </Stack>
  )
}
