import type { PlatformDetails } from '@recordhub/protocol'
import { IconActivity } from '@tabler/icons-react'
import { platformActivityQuery } from '../../../api/activity.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ActivityEntries } from './activity-entries.tsx'
import { Paged, usePages } from './paged.tsx'

/** The log of this platform. */
export function ActivityTab({ platform: { platform_name } }: { platform: PlatformDetails }) {
  const activity = usePages(platformActivityQuery({ platform: platform_name }))
  return (
    <Paged
      query={activity}
      empty={
        <EmptyState icon={<IconActivity />} title="No activity yet">
          Pushes, pulls and changes by operators appear here.
        </EmptyState>
      }
    >
      <ActivityEntries lines={activity.rows} />
    </Paged>
  )
}
