import { Tabs } from '@mantine/core'
import { PageHeader } from '../../components/page-header.tsx'
import { RemovedFilterPlatform } from '../../components/removed-platform.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { LogTab } from '../activity/log/log-tab.tsx'
import { Requests } from './requests.tsx'

const TABS = [
  { value: 'activity', label: 'Activity', Panel: LogTab },
  { value: 'requests', label: 'Requests', Panel: () => <Requests /> },
] as const

/** What the hub, its operators and the platforms did. */
export function LogPage() {
  const [state, change] = useUrlState()
  const { value: shown, Panel } = TABS.find(({ value }) => value === state['tab']) ?? TABS[0]
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
          {TABS.map(({ value, label }) => (
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
