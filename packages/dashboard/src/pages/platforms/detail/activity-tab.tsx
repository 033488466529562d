import type { ActivityLine, PlatformDetails } from '@recordhub/protocol'
import { IconActivity } from '@tabler/icons-react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ActivityLines } from './activity-lines.tsx'
import { Paged } from './paged.tsx'
import { usePages } from './use-pages.ts'

/** What happened with this platform. */
export function ActivityTab({ platform: { platform_name } }: { platform: PlatformDetails }) {
  const path = `/api/v1/activity?${new URLSearchParams({ platform: platform_name })}`
  const activity = usePages<ActivityLine>(['platforms', platform_name], path, 'activity')
  return (
    <Paged
      query={activity}
      empty={
        <EmptyState icon={<IconActivity />} title="Nothing has happened yet">
          Pushes, pulls and what operators change are told here.
        </EmptyState>
      }
    >
      <ActivityLines lines={activity.rows} />
    </Paged>
  )
}
