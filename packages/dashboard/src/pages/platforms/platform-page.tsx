import { ActionIcon, Box, Group, Menu, Stack, Tabs, Text, Title } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { IconArrowBackUp, IconClipboardCheck, IconDots } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { HubCallError } from '../../api/call-hub.ts'
import { platformQuery } from '../../api/platforms.ts'
import { countLabel, requestCountsQuery } from '../../api/requests.ts'
import { Dot } from '../../components/dot.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { BackLink, PageHeader, useTabTitle } from '../../components/page-header.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { RemovedPlatform } from '../../components/removed-platform.tsx'
import { formatCount, formatNumber, formatSecond } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { RequestsTab } from '../log/requests.tsx'
import { PushesPlanDialog } from '../reverts/revert-button.tsx'
import { useConformanceCheck } from './conformance/conformance-button.tsx'
import { ActivityTab } from './detail/activity-tab.tsx'
import { ModulesTab } from './detail/modules-tab.tsx'
import { CompletenessCard, HealthCard, PlatformFacts } from './detail/platform-facts.tsx'
import { PullsTab } from './detail/pulls-tab.tsx'
import { PushesTab } from './detail/pushes-tab.tsx'
import { SettingsTab } from './detail/settings-tab.tsx'
import classes from './platform-page.module.css'
import { firstSentence, HEALTH_COLORS, HealthLabel } from './platform-state.tsx'
import { PullButton } from './pull-button.tsx'
import { TestButton } from './test-button.tsx'

const TABS = [
  { value: 'modules', label: TEXTS.modules, Panel: ModulesTab },
  { value: 'pulls', label: TEXTS.pulls, Panel: PullsTab },
  { value: 'pushes', label: 'Pushes', Panel: PushesTab },
  { value: 'requests', label: 'Requests', Panel: RequestsTab },
  { value: 'activity', label: 'Activity', Panel: ActivityTab },
  { value: 'settings', label: TEXTS.settings, Panel: SettingsTab },
] as const

export function PlatformPage() {
  const { id = '' } = useParams({ strict: false })
  const [{ tab = 'modules' }, changeUrl] = useUrlState()
  const platform = useQuery(platformQuery(id))
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
  const shown = TABS.find((one) => one.value === tab) ?? TABS[0]
  return (
    <>
      <PlatformHead platform={platform.data} />
      <div className={classes['two']}>
        <Stack>
          <HealthCard platform={platform.data} />
          <CompletenessCard platform={platform.data} />
        </Stack>
        <PlatformFacts platform={platform.data} />
      </div>
      <Tabs value={shown.value} onChange={(value) => changeUrl({ tab: value })} keepMounted={false}>
        <Tabs.List mb="md">
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
              {value === 'modules' && (
                <TabCount>{formatNumber(platform.data.modules.length)}</TabCount>
              )}
              {value === 'requests' && <RequestCount platform={platform.data.platform_name} />}
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

function TabCount({ title, children }: { title?: string; children: string }) {
  return (
    <Text span inherit fw={400} c="var(--text-3)" {...(title ? { title } : {})}>
      {` ${children}`}
    </Text>
  )
}

/** Counted when the page is opened, and by the tab. None is shown if the log is empty, because it may be turned off. */
function RequestCount({ platform }: { platform: string }) {
  const { data, dataUpdatedAt } = useQuery(requestCountsQuery({ platform }))
  if (!data || data.counts.all === 0) return null
  const at = formatSecond(new Date(dataUpdatedAt).toISOString())
  return <TabCount title={`In the 24 hours before ${at}`}>{countLabel(data, 'all')}</TabCount>
}

function PlatformHead({ platform }: { platform: PlatformDetails }) {
  const { id, display_title, health } = platform
  const [first, ...others] = health.reasons
  const canOperate = useHasRole('operator')
  useTabTitle(display_title)
  const [isReverting, setReverting] = useState(false)
  const conformance = useConformanceCheck({
    path: `/api/v1/platforms/${id}/conformance`,
    body: {},
    title: `Conformance of ${display_title}`,
  })
  return (
    <>
      {conformance.dialog}
      {isReverting && (
        <PushesPlanDialog
          platform={platform.platform_name}
          title={`Revert pushes of ${display_title}?`}
          onClose={() => setReverting(false)}
        />
      )}
      <BackLink to="/dashboard/platforms">{TEXTS.platforms}</BackLink>
      <Group justify="space-between" align="flex-start" gap="sm" mb="md">
        <Box flex="1 1 20rem">
          <Title order={1}>{display_title}</Title>
          <Group gap="4px 8px" mt={4} c="var(--text-2)">
            <Dot color={HEALTH_COLORS[health.state]} />
            <HealthLabel state={health.state} />
            {first && (
              <span>
                <MessageText message={firstSentence(first.message)} />
                {others.length > 0 && `, and ${formatCount(others.length, 'other reason')}`}
              </span>
            )}
          </Group>
        </Box>
        {canOperate && (
          <Group gap="xs">
            <TestButton platform={platform} leftSection={null} />
            <PullButton platform={platform} />
            <Menu position="bottom-end" keepMounted>
              <Menu.Target>
                <ActionIcon variant="subtle" color="gray" size={32} aria-label="More actions">
                  <IconDots size={18} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item
                  leftSection={<IconClipboardCheck size={16} aria-hidden />}
                  onClick={conformance.start}
                >
                  {TEXTS.checkConformance}
                </Menu.Item>
                <PullButton platform={platform} full={{}} isItem />
                <Menu.Item
                  leftSection={<IconArrowBackUp size={16} aria-hidden />}
                  onClick={() => setReverting(true)}
                >
                  Revert pushes…
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </Group>
        )}
      </Group>
    </>
  )
}
