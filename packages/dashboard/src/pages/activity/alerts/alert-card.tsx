import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import type { Alert, AlertKind } from '@recordhub/protocol'
import { IconCheck } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { ALERTS } from '../../../api/alerts.ts'
import { callHub } from '../../../api/call-hub.ts'
import { mayActAs, session } from '../../../api/session.ts'
import { attempt } from '../../../components/confirm.tsx'
import { MessageText } from '../../../components/message-text.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { useStore } from '../../../lib/use-store.ts'
import { AdviceLine } from '../advice-line.tsx'
import { PlatformLink } from '../platform-link.tsx'
import { AlertLink } from './alert-link.tsx'

const TITLES: Readonly<Record<AlertKind, string>> = {
  platform_failing: 'Platform fails',
  module_failing: 'Module fails',
  platform_silent: 'Platform is silent',
  rejected_rising: 'More is refused than usual',
  push_errors_rising: 'More push errors than usual',
  missing_review: 'Many records are gone',
  search_behind: 'Search is behind',
  disk_low: 'The disk runs low',
  mail_failing: 'Mails cannot be sent',
}

export function AlertCard({ alert }: { alert: Alert }) {
  const { kind, message, advice, platform_name, raised_at, resolved_at, mailed_at } = alert
  const isOpen = resolved_at === null
  return (
    <Card withBorder padding="md" component="article">
      <Group justify="space-between" align="flex-start" gap="xs">
        <Group gap="xs">
          <StatusBadge status={isOpen ? 'open' : 'resolved'} label={isOpen ? 'Open' : 'Over'} />
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
        <AdviceLine words={advice} />
        <AlertLink alert={alert} />
        <Text size="xs" c="dimmed">
          Raised <Time at={raised_at} />
          {resolved_at !== null && (
            <>
              , over <Time at={resolved_at} />
            </>
          )}
          {mailed_at !== null && (
            <>
              , mailed <Time at={mailed_at} />
            </>
          )}
        </Text>
      </Stack>
    </Card>
  )
}

function Acknowledge({ alert }: { alert: Alert }) {
  const { operator } = useStore(session)
  const client = useQueryClient()
  if (alert.acknowledged_at !== null) {
    return (
      <Text size="xs" c="dimmed">
        <IconCheck size={12} aria-hidden /> Acknowledged by{' '}
        <OperatorName by={alert.acknowledged_by} />, <Time at={alert.acknowledged_at} />
      </Text>
    )
  }
  if (!mayActAs(operator?.role, 'operator')) {
    return (
      <Text size="xs" c="dimmed">
        Nobody has acknowledged it. That takes the role operator.
      </Text>
    )
  }
  const acknowledge = async () => {
    await callHub(`/api/v1/alerts/${alert.id}/acknowledge`, { method: 'POST' })
    await client.invalidateQueries(ALERTS)
  }
  return (
    <Button size="xs" variant="light" onClick={() => void attempt(acknowledge)}>
      I look at it
    </Button>
  )
}
