import { Group, Stack, Text } from '@mantine/core'
import type { PullCounts as Counts } from '@recordhub/protocol'
import { formatNumber } from '../../lib/format.ts'
import { shownCounts } from './pull-words.ts'

/** What became of the records of a pull, in figures. */
export function PullCounts({ counts }: { counts: Counts }) {
  return (
    <Group gap="lg" component="dl" m={0}>
      {shownCounts(counts).map(({ label, value }) => (
        <Stack key={label} gap={0}>
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text
            component="dd"
            m={0}
            fw={600}
            fz="lg"
            {...(label === 'Failed' && value > 0 ? { c: 'var(--mantine-color-error)' } : {})}
          >
            {formatNumber(value)}
          </Text>
        </Stack>
      ))}
    </Group>
  )
}
