import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import type { Alert as HubAlert } from '@recordhub/protocol'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callHub } from '../../api/call-hub.ts'
import { showAlert, snapshot } from '../../api/live.ts'
import { attempt } from '../../components/confirm.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { AlertLink } from '../activity/alerts/alert-link.tsx'
import { TEXTS } from './texts.tsx'

const SHOWN = 3

/** The open alerts, newest first. */
export function OpenAlerts() {
  const { open = 0, latest = [] } = useStore(snapshot)?.alerts ?? {}
  if (open === 0) return null
  const alerts = latest.slice(0, SHOWN)
  return (
    <Stack gap="xs" component="section" aria-label={TEXTS.openAlerts}>
      {alerts.map((alert) => (
        <OpenAlert key={alert.id} alert={alert} />
      ))}
      {open > alerts.length && (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/dashboard/activity" search={{ tab: 'alerts' }} {...props} />
          )}
        >
          {TEXTS.allAlerts(formatCount(open, 'open alert'))}
        </Anchor>
      )}
    </Stack>
  )
}

function OpenAlert({ alert }: { alert: HubAlert }) {
  const canOperate = useHasRole('operator')
  const [isSending, setSending] = useState(false)
  const isAcknowledged = alert.acknowledged_at !== null
  async function acknowledge() {
    setSending(true)
    await attempt(async () => {
      const path = `/api/v1/alerts/${alert.id}/acknowledge`
      const updated = await callHub<{ alert: HubAlert }>(path, { method: 'POST' })
      showAlert(updated.alert)
    })
    setSending(false)
  }
  return (
    <Alert
      color={isAcknowledged ? 'gray' : 'orange'}
      variant="light"
      icon={<IconAlertTriangle />}
      title={<MessageText message={alert.message} />}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex={1} miw={200}>
          {alert.advice} <AlertLink alert={alert} />{' '}
          <Text span size="sm" c="dimmed">
            {TEXTS.raisedAt(<Time at={alert.raised_at} />)}
          </Text>
        </Text>
        {isAcknowledged ? (
          <Text size="sm" c="dimmed">
            {TEXTS.acknowledgedBy(<OperatorName by={alert.acknowledged_by} />)}
          </Text>
        ) : (
          canOperate && (
            <Button size="xs" variant="default" loading={isSending} onClick={acknowledge}>
              {TEXTS.acknowledge}
            </Button>
          )
        )}
      </Group>
    </Alert>
  )
}
