import { Button, Tabs } from '@mantine/core'
import { IconFileExport } from '@tabler/icons-react'
import { PageHeader } from '../../components/page-header.tsx'
import { RemovedFilterPlatform } from '../../components/removed-platform.tsx'
import { type UrlState, useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { ActivityTab, activityFilters } from './activity.tsx'
import { AuditTab, auditFilters } from './audit.tsx'
import { Requests } from './requests.tsx'

const TABS = [
  { value: 'activity', label: 'Activity', Panel: ActivityTab, filtersOf: activityFilters },
  { value: 'requests', label: 'Requests', Panel: () => <Requests />, filtersOf: null },
  { value: 'audit', label: 'Audit', Panel: AuditTab, filtersOf: auditFilters },
] as const

/** What the hub, its operators and the platforms did. */
export function LogPage() {
  const [state, change] = useUrlState()
  const isAdmin = useHasRole('admin')
  const tabs = TABS.filter(({ value }) => value !== 'audit' || isAdmin)
  const {
    value: shown,
    Panel,
    filtersOf,
  } = tabs.find(({ value }) => value === state['tab']) ?? TABS[0]
  // Another tab begins with the filter by platform and no other.
  const open = (tab: string | null) => {
    const none = Object.fromEntries(Object.keys(state).map((name) => [name, null]))
    change({ ...none, platform: state['platform'], tab: tab === TABS[0].value ? null : tab })
  }
  return (
    <>
      <PageHeader title="Log">
        {filtersOf && <Exports log={shown} filters={filtersOf(state)} />}
      </PageHeader>
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

/** Links to the filtered log as a file. */
function Exports({ log, filters }: { log: string; filters: UrlState }) {
  return (['csv', 'ndjson'] as const).map((format) => (
    <Button
      key={format}
      variant="default"
      leftSection={<IconFileExport size={16} aria-hidden />}
      component="a"
      href={`/api/v1/${log}/export?${new URLSearchParams({ ...filters, format })}`}
      download
    >
      Export as {format.toUpperCase()}
    </Button>
  ))
}
