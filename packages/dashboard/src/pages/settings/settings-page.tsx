import { ScrollArea, Tabs } from '@mantine/core'
import {
  IconDatabaseExport,
  IconInfoCircle,
  IconKey,
  IconLogin2,
  IconRefresh,
  IconUser,
  IconUsers,
} from '@tabler/icons-react'
import { hasRole, type Role, session } from '../../api/session.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { useStore } from '../../lib/store.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { AboutTab } from './about-tab.tsx'
import { AccountTab } from './account/account-tab.tsx'
import { BackupsTab } from './backups-tab.tsx'
import { OperatorsTab } from './operators/operators-tab.tsx'
import { ScheduleTab } from './schedule-tab.tsx'
import { SingleSignOnTab } from './single-sign-on-tab.tsx'
import { TEXTS } from './texts.tsx'
import { TokensTab } from './tokens/tokens-tab.tsx'

type Tab = {
  id: string
  label: string
  icon: typeof IconUser
  requiredRole: Role
  page: () => React.JSX.Element
}

const ALL: readonly Tab[] = [
  { id: 'account', label: TEXTS.account, icon: IconUser, requiredRole: 'viewer', page: AccountTab },
  {
    id: 'operators',
    label: TEXTS.operators,
    icon: IconUsers,
    requiredRole: 'admin',
    page: OperatorsTab,
  },
  { id: 'tokens', label: TEXTS.apiTokens, icon: IconKey, requiredRole: 'viewer', page: TokensTab },
  {
    id: 'single-sign-on',
    label: TEXTS.singleSignOn,
    icon: IconLogin2,
    requiredRole: 'admin',
    page: SingleSignOnTab,
  },
  {
    id: 'schedule',
    label: TEXTS.scheduleAndRetention,
    icon: IconRefresh,
    requiredRole: 'viewer',
    page: ScheduleTab,
  },
  {
    id: 'backups',
    label: TEXTS.backups,
    icon: IconDatabaseExport,
    requiredRole: 'admin',
    page: BackupsTab,
  },
  { id: 'about', label: TEXTS.about, icon: IconInfoCircle, requiredRole: 'viewer', page: AboutTab },
]

/** Account, operators, tokens, single sign-on, schedule, backups, about. */
export function SettingsPage() {
  const [{ tab = 'account' }, change] = useUrlState()
  const { operator } = useStore(session)
  const tabs = ALL.filter(({ requiredRole }) => hasRole(operator?.role, requiredRole))
  const shown = tabs.some(({ id }) => id === tab) ? tab : 'account'
  if (!operator) return <PageSkeleton />
  return (
    <>
      <PageHeader title={TEXTS.settings} />
      <Tabs
        value={shown}
        // Removes the parameters of the other tab.
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

/** Scrolls to the selected tab, because the tabs are wider than a phone screen. */
function bringIntoView(tab: HTMLButtonElement | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

const EMPTY = { operator: null, actor: null, action: null, target: null, from: null, cursor: null }
