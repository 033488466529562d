import { Tabs } from '@mantine/core'
import { PageHeader } from '../../components/page-header.tsx'
import { RemovedFilterPlatform } from '../../components/removed-platform.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { ActivityTab } from './activity.tsx'
import { AuditTab } from './audit.tsx'
import { Requests } from './requests.tsx'

const TABS = [
  { value: 'activity', label: 'Activity', Panel: ActivityTab },
  { value: 'requests', label: 'Requests', Panel: () => <Requests /> },
  { value: 'audit', label: 'Audit', Panel: AuditTab },
] as const

/** What the hub, its operators and the platforms did. */
export function LogPage() {
  const [state, change] = useUrlState()
  const isAdmin = useHasRole('admin')
  const tabs = TABS.filter(({ value }) => value !== 'audit' || isAdmin)
  const { value: shown, Panel } = tabs.find(({ value }) => value === state['tab']) ?? TABS[0]
  // Another tab begins with the filter by platform and no other.
  const open = (tab: string | null) => {
    const none = Object.fromEntries(Object.keys(state).map((name) => [name, null]))
    change({ ...none, platform: state['platform'], tab: tab === TABS[0].value ? null : tab })
  }
  return (
    <>
      <PageHeader title="Log" />
      <RemovedFilterPlatform />
      <Tabs value={shown} onChange={open} keepMounted={false}>
        <Tabs.List mb="sm">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={shown}>
          <Panel />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
