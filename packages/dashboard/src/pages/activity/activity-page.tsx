import 'mantine-datatable/styles.css'
import { Badge, Tabs } from '@mantine/core'
import { snapshot } from '../../api/live.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { useStore } from '../../lib/use-store.ts'
import { AlertsTab } from './alerts/alerts-tab.tsx'
import { CompletenessTab } from './completeness/completeness-tab.tsx'
import { LogTab } from './log/log-tab.tsx'
import { MissingTab } from './missing/missing-tab.tsx'
import { PushErrorsTab } from './push-errors/push-errors-tab.tsx'
import { RejectedTab } from './rejected/rejected-tab.tsx'
import { changesForTab, tabOf } from './tabs.ts'

const TABS = {
  log: { label: 'Log', Panel: LogTab },
  rejected: { label: 'Rejected', Panel: RejectedTab },
  'push-errors': { label: 'Push errors', Panel: PushErrorsTab },
  alerts: { label: 'Alerts', Panel: AlertsTab },
  missing: { label: 'Missing', Panel: MissingTab },
  completeness: { label: 'Completeness', Panel: CompletenessTab },
} as const

/** What has happened, and what waits for somebody. */
export function ActivityPage() {
  const [state, change] = useUrlState()
  const tab = tabOf(state)
  const waiting = useWaiting()
  return (
    <>
      <PageHeader
        title="Activity"
        description="What has happened, what was refused, and what waits for an answer."
      />
      <Tabs
        value={tab}
        onChange={(chosen) => change(changesForTab(state, chosen))}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {Object.entries(TABS).map(([name, { label }]) => {
            const count = waiting[name] ?? 0
            return (
              <Tabs.Tab
                key={name}
                value={name}
                rightSection={
                  count > 0 ? (
                    <Badge size="sm" variant="light" color="orange" aria-label={`${count} open`}>
                      {count}
                    </Badge>
                  ) : undefined
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

/** How much waits for somebody, by the tab that shows it. */
function useWaiting(): Record<string, number> {
  const seen = useStore(snapshot)
  const reviews = seen?.platforms.reduce((sum, { missing_reviews }) => sum + missing_reviews, 0)
  return { alerts: seen?.alerts.open ?? 0, missing: reviews ?? 0 }
}
