import { Badge, Tabs } from '@mantine/core'
import { snapshot } from '../../api/live.ts'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { RemovedFilterPlatform } from '../../components/removed-platform.tsx'
import { useStore } from '../../lib/store.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { TEXTS } from '../../texts.ts'
import { AlertsTab } from '../activity/alerts/alerts-tab.tsx'
import { CompletenessTab } from '../activity/completeness/completeness-tab.tsx'
import { MissingTab } from '../activity/missing/missing-tab.tsx'
import { PushErrorsTab } from '../activity/push-errors/push-errors-tab.tsx'
import { RejectedTab } from '../activity/rejected/rejected-tab.tsx'
import { changesForTab, tabOf } from './tabs.ts'

const TABS = {
  alerts: { label: 'Alerts', Panel: AlertsTab },
  missing: { label: TEXTS.missing, Panel: MissingTab },
  rejected: { label: TEXTS.rejected, Panel: RejectedTab },
  'push-errors': { label: TEXTS.pushErrors, Panel: PushErrorsTab },
  completeness: { label: 'Completeness', Panel: CompletenessTab },
} as const

/** The complete lists behind the inbox, with what is over: alerts, reviews, rejected pushes, push errors, completeness. */
export function PastPage() {
  const [state, change] = useUrlState()
  const tab = tabOf(state)
  const openCounts = useOpenCounts()
  return (
    <>
      <PageHeader title="Inbox: all and past">
        <LinkButton to="/dashboard/inbox" variant="default" size="xs">
          What waits
        </LinkButton>
      </PageHeader>
      <RemovedFilterPlatform />
      <Tabs
        value={tab}
        onChange={(chosen) => change(changesForTab(state, chosen))}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {Object.entries(TABS).map(([name, { label }]) => {
            const count = openCounts[name] ?? 0
            return (
              <Tabs.Tab
                key={name}
                value={name}
                rightSection={
                  count > 0 && (
                    <Badge size="sm" variant="light" color="orange" aria-label={`${count} open`}>
                      {count}
                    </Badge>
                  )
                }
              >
                {label}
              </Tabs.Tab>
            )
          })}
        </Tabs.List>
        {Object.entries(TABS).map(([name, { Panel }]) => (
          <Tabs.Panel key={name} value={name}>
            <Panel />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}

/** The number of open alerts and reviews, by tab. */
function useOpenCounts(): Record<string, number> {
  const current = useStore(snapshot)
  const reviews = current?.platforms.reduce((sum, { missing_reviews }) => sum + missing_reviews, 0)
  return { alerts: current?.alerts.open ?? 0, missing: reviews ?? 0 }
}
