import { Group, Stack, Text } from '@mantine/core'
import { IconBellCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { alertPageQuery } from '../../../api/alerts.ts'
import { snapshot } from '../../../api/live.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { queryText } from '../../../lib/query-text.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { useStore } from '../../../lib/use-store.ts'
import { healthOf, noAlertsLabel } from '../../platforms/platform-list.ts'
import { ListSkeleton } from '../list-skeleton.tsx'
import { PlatformLink } from '../platform-link.tsx'
import { StateControl } from '../state-control.tsx'
import { AlertCard } from './alert-card.tsx'
import { TestMailButton } from './test-mail-button.tsx'

const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Over' },
  { value: 'all', label: 'All' },
]

export function AlertsTab() {
  const [state] = useUrlState()
  const { state: shown = 'open' } = state
  const query = queryText(state, ['cursor'], shown === 'all' ? {} : { state: shown })
  const { data, error, refetch, isPlaceholderData } = useQuery(alertPageQuery(query))
  const platforms = useStore(snapshot)?.platforms ?? []
  const failing = platforms.filter((platform) => healthOf(platform) === 'trouble')
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <StateControl label="Which alerts" choices={STATES} />
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
          title={shown === 'open' ? noAlertsLabel(failing) : 'No alerts'}
        >
          {shown === 'open' && failing.length > 0 && (
            <Stack gap={2} mb="xs">
              {failing.map(({ id, platform_name }) => (
                <PlatformLink key={id} name={platform_name} />
              ))}
            </Stack>
          )}
          The hub raises an alert when a platform fails or falls silent, when more records are
          rejected than usual, when many records are missing, or when the disk runs low. It resolves
          the alert when its cause has ended.
        </EmptyState>
      )}
      {data && <Pager next={data.next_cursor} isLate={isPlaceholderData} />}
      <Text size="xs" c="dimmed">
        Alerts are mailed where a mail server is set (HUB_SMTP_URL).
      </Text>
    </Stack>
  )
}
