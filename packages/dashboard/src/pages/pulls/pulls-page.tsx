import { Stack } from '@mantine/core'
import { PageHeader } from '../../components/page-header.tsx'
import { PullAllForm } from './pull-all-form.tsx'
import { PullTable } from './pull-table.tsx'
import { ScheduleCard } from './schedule-card.tsx'

/** What was pulled, and when the hub pulls by itself. */
export function PullsPage() {
  return (
    <>
      <PageHeader
        title="Pulls"
        description="Each pull reads the existing records of all active platforms, or of one."
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
