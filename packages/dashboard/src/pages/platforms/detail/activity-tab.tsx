import type { ActivityEntry, PlatformDetails } from '@recordhub/protocol'
import { IconActivity } from '@tabler/icons-react'
import { platformActivityQuery } from '../../../api/activity.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { LogTable } from '../../log/activity.tsx'
import { EntryDrawer } from '../../log/entry-drawer.tsx'
import { Paged } from './paged.tsx'

/** Log entries of a platform in the table of the log. */
export function LogEntries({ entries }: { entries: ActivityEntry[] }) {
  return (
    <>
      <LogTable entries={entries} isOfPlatform />
      <EntryDrawer shown={entries} />
    </>
  )
}

/** The log of this platform. */
export function ActivityTab({ platform: { platform_name } }: { platform: PlatformDetails }) {
  return (
    <Paged
      query={platformActivityQuery({ platform: platform_name })}
      empty={
        <EmptyState icon={<IconActivity />} title="No activity yet">
          Pushes, pulls and changes by operators appear here.
        </EmptyState>
      }
    >
      {(entries) => <LogEntries entries={entries} />}
    </Paged>
  )
}
