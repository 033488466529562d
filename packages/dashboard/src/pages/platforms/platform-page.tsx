import { Breadcrumbs, Tabs, Text } from '@mantine/core'
import {
  IconActivity,
  IconArrowsDownUp,
  IconDownload,
  IconListDetails,
  IconSettings,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { HubCallError } from '../../api/call-hub.ts'
import { platformQuery } from '../../api/platforms.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { RemovedPlatform } from '../../components/removed-platform.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { RequestsTab } from '../log/requests.tsx'
import { ConformanceButton } from './conformance/conformance-button.tsx'
import { ActivityTab } from './detail/activity-tab.tsx'
import { ModulesTab } from './detail/modules-tab.tsx'
import { PlatformFacts } from './detail/platform-facts.tsx'
import { PullsTab } from './detail/pulls-tab.tsx'
import { PushesTab } from './detail/pushes-tab.tsx'
import { SettingsTab } from './detail/settings-tab.tsx'
import { PullButton } from './pull-button.tsx'
import { TestButton } from './test-button.tsx'
import { TEXTS } from './texts.tsx'

const TABS = [
  { value: 'modules', label: TEXTS.modules, icon: IconListDetails, Panel: ModulesTab },
  { value: 'pulls', label: TEXTS.pulls, icon: IconDownload, Panel: PullsTab },
  { value: 'pushes', label: TEXTS.pushes, icon: IconArrowsDownUp, Panel: PushesTab },
  { value: 'requests', label: 'Requests', icon: IconArrowsDownUp, Panel: RequestsTab },
  { value: 'activity', label: 'Activity', icon: IconActivity, Panel: ActivityTab },
  { value: 'settings', label: TEXTS.settings, icon: IconSettings, Panel: SettingsTab },
] as const

export function PlatformPage() {
  const { id = '' } = useParams({ strict: false })
  const [{ tab = 'modules' }, changeUrl] = useUrlState()
  const platform = useQuery(platformQuery(id))
  const canOperate = useHasRole('operator')
  if (platform.isPending) return <PageSkeleton />
  if (!platform.data) {
    const { error } = platform
    const isUnknown = error instanceof HubCallError && [400, 404].includes(error.status)
    if (isUnknown) {
      return (
        <RemovedPlatform
          platform={{ platform_id: id }}
          header={<PageHeader title={TEXTS.platform} />}
          otherwise={<NotFound />}
        />
      )
    }
    return <ErrorNotice error={error} onRetry={() => void platform.refetch()} />
  }
  const { display_title, platform_description } = platform.data
  const shown = TABS.find((one) => one.value === tab) ?? TABS[0]
  return (
    <>
      <Breadcrumbs mb={4} styles={{ root: { flexWrap: 'nowrap' } }}>
        <PageLink to="/dashboard/platforms" size="sm">
          {TEXTS.platforms}
        </PageLink>
        <Text size="sm" c="dimmed" lh={1.5} truncate>
          {display_title}
        </Text>
      </Breadcrumbs>
      <PageHeader title={display_title} description={platform_description}>
        {canOperate && (
          <>
            <TestButton platform={platform.data} />
            <ConformanceButton
              path={`/api/v1/platforms/${platform.data.id}/conformance`}
              body={{}}
              title={TEXTS.conformanceOf(display_title)}
            />
            <PullButton platform={platform.data} full={{}} />
            <PullButton platform={platform.data} />
          </>
        )}
      </PageHeader>
      <PlatformFacts platform={platform.data} />
      <Tabs value={shown.value} onChange={(value) => changeUrl({ tab: value })} keepMounted={false}>
        <Tabs.List mb="md">
          {TABS.map(({ value, label, icon: Icon }) => (
            <Tabs.Tab key={value} value={value} leftSection={<Icon size={16} aria-hidden />}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ value, Panel }) => (
          <Tabs.Panel key={value} value={value}>
            <Panel platform={platform.data} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}
