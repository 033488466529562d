import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import type { Alert, AlertKind } from '@recordhub/protocol'
import { IconBellCheck, IconCheck, IconMail } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { queriesOf } from '../../../api/get-query.ts'
import { alertPageQuery } from '../../../api/inbox.ts'
import { snapshot } from '../../../api/live.ts'
import { notify, useAttempt } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { LoadedPage } from '../../../components/loaded.tsx'
import { MessageText } from '../../../components/message-text.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { useStore } from '../../../lib/store.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'
import { noAlertsLabel } from '../../platforms/platform-list.ts'
import { AdviceLine, ListSkeleton, StateControl } from '../list-parts.tsx'

const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'all', label: TEXTS.all },
]

export function AlertsTab() {
  const [{ state: shown = 'open', cursor }] = useUrlState()
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <StateControl label="Alert state" choices={STATES} />
        <TestMailButton />
      </Group>
      <LoadedPage
        query={useQuery(alertPageQuery({ cursor, state: shown === 'all' ? null : shown }))}
        skeleton={<ListSkeleton height={110} rows={3} />}
        gap="md"
        empty={({ alerts }) => alerts.length === 0 && <NoAlerts isFiltered={shown !== 'open'} />}
      >
        {({ alerts }) => alerts.map((alert) => <AlertCard key={alert.id} alert={alert} />)}
      </LoadedPage>
      <Text size="xs" c="dimmed">
        Alerts are also sent by e-mail if a mail server is configured (HUB_SMTP_URL). Feed readers
        subscribe to the{' '}
        <Anchor inherit underline="always" href="/api/v1/alerts/feed">
          Atom feed
        </Anchor>{' '}
        with an API token for alerts as the password. Programs read /api/v1/alerts/events.
      </Text>
    </Stack>
  )
}

function NoAlerts({ isFiltered }: { isFiltered: boolean }) {
  const platforms = useStore(snapshot)?.platforms ?? []
  const failing = isFiltered ? [] : platforms.filter(({ health }) => health.state === 'failing')
  return (
    <EmptyState icon={<IconBellCheck />} title={isFiltered ? 'No alerts' : noAlertsLabel(failing)}>
      {failing.length > 0 && (
        <Stack gap={2} mb="xs">
          {failing.map(({ id, platform_name }) => (
            <PlatformLink key={id} name={platform_name} />
          ))}
        </Stack>
      )}
      The hub raises an alert when a platform fails or stops pushing, when more records are rejected
      than usual, when many records are missing, or when disk space is low. It resolves the alert
      when the cause has ended.
    </EmptyState>
  )
}

/** Lets an admin check the e-mail settings. */
export function TestMailButton() {
  const isAdmin = useHasRole('admin')
  const { isBusy, run } = useAttempt()
  if (!isAdmin) return null
  const send = async () => {
    const path = '/api/v1/alerts/test-mail'
    notify((await callHub<{ message: string }>(path, { method: 'POST' })).message)
  }
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconMail size={14} />}
      loading={isBusy}
      onClick={() => void run(send)}
    >
      Send test e-mail
    </Button>
  )
}

const TITLES: Readonly<Record<AlertKind, string>> = {
  platform_failing: 'Platform failing',
  module_failing: 'Module failing',
  platform_silent: 'No accepted pushes',
  rejected_rising: 'More rejected pushes than usual',
  push_errors_rising: 'More push errors than usual',
  missing_review: 'Many records missing',
  search_behind: 'Search index is behind',
  holds_open: 'Values are held',
  disk_low: 'Low disk space',
  standby_asynchronous: 'A failover can lose pushes',
  storage_not_synced: 'A power failure can lose pushes',
  mail_failing: 'E-mails cannot be sent',
  backup_failed: 'Scheduled backup failed',
  backups_uncounted: 'Scheduled backups that do not count',
  job_failed: 'Background job failed',
}

function AlertCard({ alert }: { alert: Alert }) {
  const { kind, message, advice, platform_name, raised_at, resolved_at, mailed_at } = alert
  const isOpen = resolved_at === null
  return (
    <Card withBorder padding="md" component="article">
      <Group justify="space-between" align="flex-start" gap="xs">
        <Group gap="xs">
          <StatusBadge status={isOpen ? 'open' : 'resolved'} label={isOpen ? 'Open' : 'Resolved'} />
          <Title order={2} fz="md">
            {TITLES[kind]}
          </Title>
          <PlatformLink name={platform_name} />
        </Group>
        {isOpen && <Acknowledge alert={alert} />}
      </Group>
      <Stack gap={6} mt="xs">
        <Text size="sm">
          <MessageText message={message} />
        </Text>
        <AdviceLine text={advice} />
        <AlertLink alert={alert} />
        <Text size="xs" c="dimmed">
          Raised <Time at={raised_at} />
          {resolved_at !== null && (
            <>
              , resolved <Time at={resolved_at} />
            </>
          )}
          {mailed_at !== null && (
            <>
              , e-mailed <Time at={mailed_at} />
            </>
          )}
        </Text>
      </Stack>
    </Card>
  )
}

function Acknowledge({ alert }: { alert: Alert }) {
  const canOperate = useHasRole('operator')
  const client = useQueryClient()
  const { isBusy, run } = useAttempt()
  if (alert.acknowledged_at !== null) {
    return (
      <Text size="xs" c="dimmed">
        <IconCheck size={12} aria-hidden /> Acknowledged by{' '}
        <OperatorName by={alert.acknowledged_by} />, <Time at={alert.acknowledged_at} />
      </Text>
    )
  }
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed">
        Not acknowledged. Requires the operator role.
      </Text>
    )
  }
  const acknowledge = async () => {
    await callHub(`/api/v1/alerts/${alert.id}/acknowledge`, { method: 'POST' })
    await client.invalidateQueries(queriesOf('GET /api/v1/alerts'))
  }
  return (
    <Button size="xs" variant="light" loading={isBusy} onClick={() => void run(acknowledge)}>
      {TEXTS.acknowledge}
    </Button>
  )
}

/** A link to the records or push errors of an alert, if a page lists them. */
function AlertLink({ alert }: { alert: Alert }) {
  const { kind, missing_review_id, platform_name: platform } = alert
  const isOfErrors = kind === 'push_errors_rising'
  if (missing_review_id === null && !isOfErrors) return null
  const search = isOfErrors
    ? { tab: 'push-errors', ...(platform ? { platform } : {}) }
    : { tab: 'missing', review: String(missing_review_id) }
  return (
    <PageLink size="sm" c="inherit" underline="always" to="/dashboard/inbox" search={search}>
      {isOfErrors ? 'View push errors' : TEXTS.reviewRecords}
    </PageLink>
  )
}
