import { Stack } from '@mantine/core'
import { PageHeader } from '../../components/page-header.tsx'
import { PullAllForm } from './pull-all-form.tsx'
import { PullTable } from './pull-table.tsx'
import { ScheduleCard } from './schedule-card.tsx'
import { TEXTS } from './texts.tsx'

/** The history of pulls, and the schedule. */
export function PullsPage() {
  return (
    <>
      <PageHeader title={TEXTS.pulls} description={TEXTS.pullsDescription}>
        <PullAllForm />
      </PageHeader>
      <Stack gap="md">
        <ScheduleCard />
        <PullTable />
      </Stack>
    </>
  )
}
