import { type Alert, AlertPage, AlertResponse, AlertState, RequestText } from '@recordhub/protocol'
import { Type } from 'typebox'
import { logChange, type Requester } from '../../domain/activity/activity.ts'
import { composeTestMail } from '../../domain/alerts/alert-mail.ts'
import { found, HubError } from '../../errors.ts'
import { Limit, route } from '../../http/route.ts'
import { CursorInteger, createCursorCodec, paginate } from '../../lib/collections/pagination.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { listRecipients, type Mailer } from './mail-alerts.ts'

const PAGE = 50
const CURSOR = createCursorCodec(Type.Object({ state: AlertState, id: CursorInteger }))

type AlertDeps = Pick<FeatureDeps, 'alerts' | 'operators' | 'activity' | 'config'> & {
  mailer: Mailer | null
}

/** Reading and acknowledging alerts, and sending a test mail. */
export function alertRoutes(deps: AlertDeps) {
  return [
    route('GET /api/v1/alerts', {
      summary: 'List alerts: open ones first, then resolved ones, newest first',
      query: {
        state: Type.Optional(AlertState),
        limit: Limit,
        cursor: Type.Optional(RequestText()),
      },
      response: AlertPage.properties,
      async handle({ query: { state = null, limit = PAGE, cursor } }) {
        const after = cursor === undefined ? null : CURSOR.decode(cursor)
        const rows = await deps.alerts.listAlerts({ state, limit: limit + 1, after })
        const { page, next_cursor } = paginate(rows, limit, encodeCursor)
        return { alerts: page, next_cursor }
      },
    }),

    route('POST /api/v1/alerts/:id/acknowledge', {
      summary: 'Acknowledge an alert',
      response: AlertResponse.properties,
      handle: async ({ params: { id }, requester }) => ({
        alert: await acknowledgeAlert(deps, id, requester),
      }),
    }),

    route('POST /api/v1/alerts/test-mail', {
      summary: 'Send a test mail to the recipients of alerts',
      response: { message: Type.String() },
      handle: async ({ requester }) => ({ message: await sendTestMail(deps, requester) }),
    }),
  ]
}

function encodeCursor({ id, resolved_at }: Alert): string {
  return CURSOR.encode({ state: resolved_at === null ? 'open' : 'resolved', id })
}

/** Records who takes care of an alert, which changes nothing else. @throws HubError `not_found`. */
async function acknowledgeAlert(
  { alerts }: Pick<FeatureDeps, 'alerts'>,
  alertId: number,
  requester: Requester,
): Promise<Alert> {
  const action = 'alert.acknowledged'
  const alert = await alerts.acknowledgeAlert(alertId, requester.actor, (acknowledged) =>
    logChange(requester, {
      ...{ kind: action, action, target: acknowledged.platform_name },
      message: `An alert was acknowledged: ${acknowledged.message}`,
      details: { alert: acknowledged.kind, alert_id: alertId },
    }),
  )
  return found('alert', alert)
}

/**
 * Sends a mail to the recipients of alerts.
 * @returns the message for the operator.
 * @throws HubError `mail_not_set_up`, or `mail_failed` with the error message of the mail server.
 */
async function sendTestMail(
  { mailer, operators, config, activity }: AlertDeps,
  requester: Requester,
): Promise<string> {
  const to = await listRecipients({ config, operators })
  if (!mailer || to.length === 0) throw new HubError('mail_not_set_up')
  await activity.appendAudit({ ...requester, action: 'alert.test_mail', target: null })
  const mail = composeTestMail(requester.actor, config.HUB_PUBLIC_URL)
  const sent = await mailer.send({ ...mail, to })
  if (sent.outcome === 'failed') throw new HubError('mail_failed', { reason: sent.reason })
  return sent.rejected.length === 0
    ? 'The mail server accepted the test mail. Check that it arrives.'
    : `The mail server accepted the test mail, but rejected ${sent.rejected.join(', ')}.`
}
