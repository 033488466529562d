import { Stack } from '@mantine/core'
import { PageHeader } from '../../components/page-header.tsx'
import { PullTable } from './pull-table.tsx'
import { ScheduleCard } from './schedule-card.tsx'

/** What was pulled, and when the hub pulls by itself. */
export function PullsPage() {
  return (
    <>
      <PageHeader
        title="Pulls"
        description="Each pull reads the existing records of all active platforms, or of one."
      />
      <Stack gap="md">
        <ScheduleCard />
        <PullTable />
      </Stack>
    </>
  )
}
