import { Paper, Skeleton, Text, Title } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { useStatistics } from '../../api/statistics.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { formatCount } from '../../lib/format.ts'
import { flowOf, toBars } from './hour-series.ts'

const HEIGHT = 240
const HoursChart = lazy(() =>
  import('./hours-chart.tsx').then((file) => ({ default: file.HoursChart })),
)

/** What came in the last 24 hours, hour by hour. */
export function ReceivedCard() {
  const statistics = useStatistics()
  const { data, refetch } = statistics
  const error = errorInPlaceOfData(statistics)
  const hours = data?.hours ?? []
  const count = (...kinds: Parameters<typeof flowOf>[1][]) =>
    flowOf(hours, ...kinds).reduce((sum, value) => sum + value, 0)
  const [post, patch, pull] = [
    count('received_post'),
    count('received_patch'),
    count('received_pull'),
  ]
  return (
    <Paper withBorder p="md" component="section" aria-label="Records received">
      <Title order={2} fz="md">
        Records received
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {data
          ? `In the last 24 hours: ${formatCount(post, 'POST', 'POSTs')}, ${formatCount(patch, 'PATCH', 'PATCHes')}, ${formatCount(pull, 'change')} by pulls`
          : 'In the last 24 hours'}
      </Text>
      {error ? (
        <ErrorNotice error={error} onRetry={refetch} title="The figures could not be read" />
      ) : (
        <Suspense fallback={<Skeleton height={HEIGHT} />}>
          {data ? <HoursChart bars={toBars(hours)} /> : <Skeleton height={HEIGHT} />}
        </Suspense>
      )}
    </Paper>
  )
}
