import { Paper, Skeleton, Text, Title } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { snapshot } from '../../api/live.ts'
import { formatCount } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { flowOf, toBars } from './hour-series.ts'
import { TEXTS } from './texts.tsx'

const HEIGHT = 240
const HoursChart = lazy(() =>
  import('./hours-chart.tsx').then((file) => ({ default: file.HoursChart })),
)

/** Records received in the last 24 hours, by hour. */
export function ReceivedCard() {
  const known = useStore(snapshot)?.hours ?? null
  const hours = known ?? []
  const count = (...kinds: Parameters<typeof flowOf>[1][]) =>
    flowOf(hours, ...kinds).reduce((sum, value) => sum + value, 0)
  const [post, patch, pull] = [
    count('received_post'),
    count('received_patch'),
    count('received_pull'),
  ]
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label={TEXTS.recordsReceived}>
      <Title order={2} fz="md">
        {TEXTS.recordsReceived}
      </Title>
      <Text size="sm" c="dimmed" mb="sm" mih={44}>
        {known
          ? TEXTS.receivedCounts(
              formatCount(post, 'POST', 'POSTs'),
              formatCount(patch, 'PATCH', 'PATCHes'),
              formatCount(pull, 'change'),
            )
          : TEXTS.receivedPeriod}
      </Text>
      <Suspense fallback={<Skeleton height={HEIGHT} />}>
        {known ? <HoursChart bars={toBars(known)} /> : <Skeleton height={HEIGHT} />}
      </Suspense>
    </Paper>
  )
}
