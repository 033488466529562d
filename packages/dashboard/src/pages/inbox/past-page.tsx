import type { ReactNode } from 'react'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { RemovedFilterPlatform } from '../../components/removed-platform.tsx'
import { TEXTS } from '../../texts.ts'
import { AlertsTab } from '../activity/alerts/alerts-tab.tsx'
import { MissingTab } from '../activity/missing/missing-tab.tsx'
import { PushErrorsTab } from '../activity/push-errors/push-errors-tab.tsx'
import { RejectedTab } from '../activity/rejected/rejected-tab.tsx'
import type { List } from './lists.ts'

export const LISTS: Readonly<Record<List, { title: string; Panel: () => ReactNode }>> = {
  alerts: { title: 'All alerts', Panel: AlertsTab },
  missing: { title: 'All reviews of missing records', Panel: MissingTab },
  rejected: { title: 'All rejected pushes', Panel: RejectedTab },
  'push-errors': { title: 'All push errors', Panel: PushErrorsTab },
}

/** A complete list behind the inbox, with what is over. */
export function PastPage({ list }: { list: List }) {
  const { title, Panel } = LISTS[list]
  return (
    <>
      <PageHeader title={title}>
        <LinkButton to="/dashboard/inbox" variant="default" size="xs">
          {TEXTS.inbox}
        </LinkButton>
      </PageHeader>
      <RemovedFilterPlatform />
      <Panel key={list} />
    </>
  )
}
