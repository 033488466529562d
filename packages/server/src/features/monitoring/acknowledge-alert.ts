import type { Alert } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { AlertStore } from '../../storage/port/alert-store.ts'

/**
 * Notes that somebody looks at an alert, so that others see it. It changes nothing else.
 * @throws HubError `not_found`.
 */
export async function acknowledgeAlert(
  { alerts }: { alerts: Pick<AlertStore, 'acknowledgeAlert'> },
  alertId: number,
  requester: Requester,
): Promise<Alert> {
  const { actor } = requester
  const alert = await alerts.acknowledgeAlert(alertId, actor, (acknowledged) => ({
    activity: {
      level: 'info',
      kind: 'alert.acknowledged',
      message: `An alert was acknowledged: ${acknowledged.message}`,
      actor,
      details: { alert: acknowledged.kind, alert_id: alertId },
    },
    audit: {
      ...requester,
      action: 'alert.acknowledged',
      target: acknowledged.platform_name,
      details: { alert: acknowledged.kind, alert_id: alertId },
    },
  }))
  if (!alert) throw new HubError('not_found', { what: 'alert' })
  return alert
}
