import { Stack } from '@mantine/core'
import { PageHeader } from '../../components/page-header.tsx'
import { PullAllForm } from './pull-all-form.tsx'
import { PullTable } from './pull-table.tsx'
import { ScheduleCard } from './schedule-card.tsx'

/** The history of pulls, and the schedule. */
export function PullsPage() {
  return (
    <>
      <PageHeader
        title="Pulls"
        description="A pull reads the existing records of all active platforms, or of one"
      >
        <PullAllForm />
      </PageHeader>
      <Stack gap="md">
        <ScheduleCard />
        <PullTable />
      </Stack>
    </>
  )
}
