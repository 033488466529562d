import { PageHeader } from '../../components/page-header.tsx'
import { RemovedFilterPlatform } from '../../components/removed-platform.tsx'
import { TEXTS } from '../../texts.ts'
import { LogTab } from '../activity/log/log-tab.tsx'

/** What the hub and its operators did. */
export function LogPage() {
  return (
    <>
      <PageHeader title={TEXTS.log} description="What the hub and its operators did" />
      <RemovedFilterPlatform />
      <LogTab />
    </>
  )
}
