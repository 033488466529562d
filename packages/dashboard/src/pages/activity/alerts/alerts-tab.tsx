import { Button, Group, Stack, Text } from '@mantine/core'
import { IconBellCheck, IconMail } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { alertPageQuery } from '../../../api/alerts.ts'
import { callHub } from '../../../api/call-hub.ts'
import { snapshot } from '../../../api/live.ts'
import { attempt, notify } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { toQueryString } from '../../../lib/query-string.ts'
import { useStore } from '../../../lib/store.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { noAlertsLabel } from '../../platforms/platform-list.ts'
import { ListSkeleton } from '../list-skeleton.tsx'
import { StateControl } from '../state-control.tsx'
import { TEXTS } from '../texts.tsx'
import { AlertCard } from './alert-card.tsx'

const STATES = [
  { value: 'open', label: TEXTS.open },
  { value: 'resolved', label: TEXTS.resolved },
  { value: 'all', label: TEXTS.all },
]

export function AlertsTab() {
  const [state] = useUrlState()
  const { state: shown = 'open' } = state
  const query = toQueryString(state, ['cursor'], shown === 'all' ? {} : { state: shown })
  const { data, error, refetch, isPlaceholderData } = useQuery(alertPageQuery(query))
  const platforms = useStore(snapshot)?.platforms ?? []
  const failing = platforms.filter(({ health }) => health.state === 'failing')
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <StateControl label={TEXTS.alertState} choices={STATES} />
        <TestMailButton />
      </Group>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !data && <ListSkeleton height={110} rows={3} />}
      {data?.alerts.map((alert) => (
        <AlertCard key={alert.id} alert={alert} />
      ))}
      {data?.alerts.length === 0 && (
        <EmptyState
          icon={<IconBellCheck />}
          title={shown === 'open' ? noAlertsLabel(failing) : TEXTS.noAlerts}
        >
          {TEXTS.noAlertsHint(
            shown === 'open' && failing.length > 0 && (
              <Stack gap={2} mb="xs">
                {failing.map(({ id, platform_name }) => (
                  <PlatformLink key={id} name={platform_name} />
                ))}
              </Stack>
            ),
          )}
        </EmptyState>
      )}
      {data && <Pager next={data.next_cursor} isStale={isPlaceholderData} />}
      <Text size="xs" c="dimmed">
        {TEXTS.alertEmailHint} {TEXTS.alertFeedHint}
      </Text>
    </Stack>
  )
}

/** Lets an admin check the e-mail settings. */
function TestMailButton() {
  const isAdmin = useHasRole('admin')
  const [isBusy, setIsBusy] = useState(false)
  if (!isAdmin) return null
  const send = async () => {
    setIsBusy(true)
    await attempt(async () => {
      const { message } = await callHub<{ message: string }>('/api/v1/alerts/test-mail', {
        method: 'POST',
      })
      notify(message)
    })
    setIsBusy(false)
  }
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconMail size={14} />}
      loading={isBusy}
      onClick={() => void send()}
    >
      {TEXTS.sendTestEMail}
    </Button>
  )
}
