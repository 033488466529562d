import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import type { Alert, AlertKind } from '@recordhub/protocol'
import { IconCheck } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { ALERTS } from '../../../api/alerts.ts'
import { callHub } from '../../../api/call-hub.ts'
import { attempt } from '../../../components/confirm.tsx'
import { MessageText } from '../../../components/message-text.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { AdviceLine } from '../advice-line.tsx'
import { TEXTS } from '../texts.tsx'
import { AlertLink } from './alert-link.tsx'

const TITLES: Readonly<Record<AlertKind, string>> = {
  platform_failing: TEXTS.platformFailing,
  module_failing: TEXTS.moduleFailing,
  platform_silent: TEXTS.noAcceptedPushes,
  rejected_rising: TEXTS.moreRejectedPushes,
  push_errors_rising: TEXTS.morePushErrors,
  missing_review: TEXTS.manyRecordsMissing,
  search_behind: TEXTS.searchIndexBehind,
  disk_low: TEXTS.lowDiskSpace,
  standby_asynchronous: TEXTS.standbyAsynchronous,
  storage_not_synced: TEXTS.storageNotSynced,
  mail_failing: TEXTS.emailsCannotBeSent,
  backup_failed: TEXTS.scheduledBackupFailed,
  backups_uncounted: TEXTS.backupsDoNotCount,
  job_failed: TEXTS.backgroundJobFailed,
}

export function AlertCard({ alert }: { alert: Alert }) {
  const { kind, message, advice, platform_name, raised_at, resolved_at, mailed_at } = alert
  const isOpen = resolved_at === null
  return (
    <Card withBorder padding="md" component="article">
      <Group justify="space-between" align="flex-start" gap="xs">
        <Group gap="xs">
          <StatusBadge
            status={isOpen ? 'open' : 'resolved'}
            label={isOpen ? TEXTS.open : TEXTS.resolved}
          />
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
          {TEXTS.raisedAt(
            <Time at={raised_at} />,
            resolved_at !== null && <>{TEXTS.resolvedAt(<Time at={resolved_at} />)}</>,
            mailed_at !== null && <>{TEXTS.emailedAt(<Time at={mailed_at} />)}</>,
          )}
        </Text>
      </Stack>
    </Card>
  )
}

function Acknowledge({ alert }: { alert: Alert }) {
  const canOperate = useHasRole('operator')
  const client = useQueryClient()
  if (alert.acknowledged_at !== null) {
    return (
      <Text size="xs" c="dimmed">
        {TEXTS.acknowledgedBy(
          <IconCheck size={12} aria-hidden />,
          <OperatorName by={alert.acknowledged_by} />,
          <Time at={alert.acknowledged_at} />,
        )}
      </Text>
    )
  }
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed">
        {TEXTS.notAcknowledged}
      </Text>
    )
  }
  const acknowledge = async () => {
    await callHub(`/api/v1/alerts/${alert.id}/acknowledge`, { method: 'POST' })
    await client.invalidateQueries(ALERTS)
  }
  return (
    <Button size="xs" variant="light" onClick={() => void attempt(acknowledge)}>
      {TEXTS.acknowledge}
    </Button>
  )
}
