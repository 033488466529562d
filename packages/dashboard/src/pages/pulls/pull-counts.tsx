import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { PullCounts as Counts } from '@recordhub/protocol'
import { PageLink } from '../../components/page-link.tsx'
import { formatNumber } from '../../lib/format.ts'
import { COMMON_TEXTS } from '../../texts.ts'
import { shownCounts } from './pull-labels.ts'

/** The record counts of a pull: received, new, updated, unchanged, rejected. */
export function PullCounts({ counts, isBrief = false }: { counts: Counts; isBrief?: boolean }) {
  const shown = shownCounts(counts)
  if (isBrief) {
    return (
      <SimpleGrid cols={3} spacing="xs" verticalSpacing={4} component="dl" m={0}>
        {shown.filter(isShownBriefly).map((count) => (
          <Count key={count.label} {...count} />
        ))}
      </SimpleGrid>
    )
  }
  return (
    <Group gap="lg" component="dl" m={0}>
      {shown.map((count) => (
        <Count key={count.label} {...count} />
      ))}
    </Group>
  )
}

/** Whether a count is shown for every pull, or needs attention. */
function isShownBriefly({ label }: { label: string }, index: number): boolean {
  return index < BRIEF || label === COMMON_TEXTS.notListed
}

const BRIEF = 5

function Count({ label, value }: { label: string; value: number }) {
  return (
    <Stack gap={0}>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Text
        component="dd"
        m={0}
        fw={600}
        fz="lg"
        {...(label === COMMON_TEXTS.rejected && value > 0
          ? { c: 'var(--mantine-color-error)' }
          : {})}
      >
        {label === COMMON_TEXTS.notListed ? (
          <PageLink to="/dashboard/inbox" search={{ tab: 'missing' }} fz="lg">
            {formatNumber(value)}
          </PageLink>
        ) : (
          formatNumber(value)
        )}
      </Text>
    </Stack>
  )
}
