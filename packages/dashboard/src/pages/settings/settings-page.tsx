import 'mantine-datatable/styles.css'
import { ScrollArea, Tabs } from '@mantine/core'
import {
  IconHistory,
  IconInfoCircle,
  IconKey,
  IconLogin2,
  IconRefresh,
  IconUser,
  IconUsers,
} from '@tabler/icons-react'
import { mayActAs, type Role, session } from '../../api/session.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { useStore } from '../../lib/use-store.ts'
import { AboutTab } from './about-tab.tsx'
import { AccountTab } from './account/account-tab.tsx'
import { AuditTab } from './audit-tab.tsx'
import { OperatorsTab } from './operators/operators-tab.tsx'
import { ScheduleTab } from './schedule-tab.tsx'
import { SingleSignOnTab } from './single-sign-on-tab.tsx'
import { TokensTab } from './tokens/tokens-tab.tsx'

type Tab = {
  id: string
  label: string
  icon: typeof IconUser
  least: Role
  page: () => React.JSX.Element
}

const ALL: readonly Tab[] = [
  { id: 'account', label: 'Account', icon: IconUser, least: 'viewer', page: AccountTab },
  { id: 'operators', label: 'Operators', icon: IconUsers, least: 'admin', page: OperatorsTab },
  { id: 'tokens', label: 'API tokens', icon: IconKey, least: 'viewer', page: TokensTab },
  {
    id: 'single-sign-on',
    label: 'Single sign-on',
    icon: IconLogin2,
    least: 'admin',
    page: SingleSignOnTab,
  },
  {
    id: 'schedule',
    label: 'Schedule and retention',
    icon: IconRefresh,
    least: 'viewer',
    page: ScheduleTab,
  },
  { id: 'audit', label: 'Audit', icon: IconHistory, least: 'admin', page: AuditTab },
  { id: 'about', label: 'About', icon: IconInfoCircle, least: 'viewer', page: AboutTab },
]

/** Who may sign in and how, what runs by itself, and what the hub is. */
export function SettingsPage() {
  const [{ tab = 'account' }, change] = useUrlState()
  const { operator } = useStore(session)
  const tabs = ALL.filter(({ least }) => mayActAs(operator?.role, least))
  const shown = tabs.some(({ id }) => id === tab) ? tab : 'account'
  if (!operator) return <PageSkeleton />
  return (
    <>
      <PageHeader title="Settings" />
      <Tabs
        value={shown}
        // What another tab had in the address is not this one's.
        onChange={(id) => change({ ...EMPTY, tab: id === 'account' ? null : id })}
        keepMounted={false}
      >
        <ScrollArea type="never" mb="lg">
          <Tabs.List miw="max-content">
            {tabs.map(({ id, label, icon: Icon }) => (
              <Tabs.Tab
                key={id}
                value={id}
                leftSection={<Icon size={16} stroke={1.6} />}
                ref={id === shown ? bringIntoView : null}
              >
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </ScrollArea>
        {tabs.map(({ id, page: Page }) => (
          <Tabs.Panel key={id} value={id}>
            <Page />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}

/** On a phone the tabs are wider than the screen. */
function bringIntoView(tab: HTMLButtonElement | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

const EMPTY = { operator: null, actor: null, action: null, target: null, from: null, cursor: null }
