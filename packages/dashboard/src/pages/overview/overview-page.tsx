import { Grid, Stack } from '@mantine/core'
import { PageHeader } from '../../components/page-header.tsx'
import { LatestLogs } from './latest-logs.tsx'
import { LatestRecords } from './latest-records.tsx'
import { OpenAlerts } from './open-alerts.tsx'
import { PlatformGrid } from './platform-grid.tsx'
import { PullCard } from './pull-card.tsx'
import { ReceivedCard } from './received-card.tsx'
import { StatTiles } from './stat-tiles.tsx'
import { TEXTS } from './texts.tsx'

/** The state of the hub at a glance. */
export function OverviewPage() {
  return (
    <>
      <PageHeader title={TEXTS.overview} />
      <Stack gap="md">
        <OpenAlerts />
        <StatTiles />
        <Grid>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <PullCard />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }}>
            <ReceivedCard />
          </Grid.Col>
        </Grid>
        <PlatformGrid />
        <Grid>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <LatestRecords />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <LatestLogs />
          </Grid.Col>
        </Grid>
      </Stack>
    </>
  )
}
