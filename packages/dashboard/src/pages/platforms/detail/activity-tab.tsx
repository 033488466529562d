import type { PlatformDetails } from '@recordhub/protocol'
import { IconActivity } from '@tabler/icons-react'
import { platformActivityQuery } from '../../../api/activity.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ActivityLines } from './activity-lines.tsx'
import { Paged } from './paged.tsx'
import { usePages } from './use-pages.ts'

/** What happened with this platform. */
export function ActivityTab({ platform: { platform_name } }: { platform: PlatformDetails }) {
  const activity = usePages(platformActivityQuery({ platform: platform_name }))
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
