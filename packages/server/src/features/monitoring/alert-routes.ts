import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  type Alert,
  AlertPage,
  AlertResponse,
  AlertState,
  DoneResponse,
  ErrorResponse,
  RequestText,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { composeTestMail } from '../../domain/alerts/alert-mail.ts'
import { HubError } from '../../errors.ts'
import { CursorInteger, createCursorCodec, paginate } from '../../lib/collections/pagination.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { AlertStore } from '../../storage/port/alert-store.ts'
import type { Mailer } from './mailer.ts'

const PAGE = 50
const CURSOR = createCursorCodec(Type.Object({ state: AlertState, id: CursorInteger }))

/** Reading and acknowledging alerts, and sending a test mail. */
export function alertRoutes(deps: {
  alerts: AlertStore
  activity: Pick<ActivityStore, 'appendAudit'>
  mailer: Mailer | null
  publicUrl: string
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/alerts',
      {
        schema: {
          summary: 'List alerts: open ones first, then resolved ones, newest first',
          querystring: Type.Object(
            {
              state: Type.Optional(AlertState),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
              cursor: Type.Optional(RequestText()),
            },
            { additionalProperties: false },
          ),
          response: { 200: AlertPage, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { state = null, limit = PAGE, cursor } = request.query
        const after = cursor === undefined ? null : CURSOR.decode(cursor)
        const found = await deps.alerts.listAlerts({ state, limit: limit + 1, after })
        const { page, next_cursor } = paginate(found, limit, encodeCursor)
        return { success: true as const, alerts: page, next_cursor }
      },
    )

    app.post(
      '/api/v1/alerts/:id/acknowledge',
      {
        schema: {
          summary: 'Acknowledge an alert',
          params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
          response: { 200: AlertResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const alert = await acknowledgeAlert(deps, request.params.id, deps.requesterOf(request))
        return { success: true as const, alert }
      },
    )

    app.post(
      '/api/v1/alerts/test-mail',
      {
        schema: {
          summary: 'Send a test mail to the recipients of alerts',
          response: { 200: DoneResponse, '4xx': ErrorResponse, '5xx': ErrorResponse },
        },
      },
      async (request) => ({
        success: true as const,
        message: await sendTestMail(deps, deps.requesterOf(request)),
      }),
    )
  }
}

function encodeCursor({ id, resolved_at }: Alert): string {
  return CURSOR.encode({ state: resolved_at === null ? 'open' : 'resolved', id })
}

/** Records who takes care of an alert, which changes nothing else. @throws HubError `not_found`. */
async function acknowledgeAlert(
  { alerts }: { alerts: Pick<AlertStore, 'acknowledgeAlert'> },
  alertId: number,
  requester: Requester,
): Promise<Alert> {
  const { actor } = requester
  const alert = await alerts.acknowledgeAlert(alertId, actor, (acknowledged) => {
    const kind = 'alert.acknowledged'
    const details = { alert: acknowledged.kind, alert_id: alertId }
    const message = `An alert was acknowledged: ${acknowledged.message}`
    return {
      activity: { level: 'info', kind, message, actor, details },
      audit: { ...requester, action: kind, target: acknowledged.platform_name, details },
    }
  })
  if (!alert) throw new HubError('not_found', { what: 'alert' })
  return alert
}

/**
 * Sends a mail to the recipients of alerts.
 * @returns the message for the operator.
 * @throws HubError `mail_not_set_up`, or `mail_failed` with the error message of the mail server.
 */
async function sendTestMail(
  deps: { mailer: Mailer | null; publicUrl: string; activity: Pick<ActivityStore, 'appendAudit'> },
  requester: Requester,
): Promise<string> {
  const { mailer, publicUrl, activity } = deps
  if (!mailer) throw new HubError('mail_not_set_up')
  await activity.appendAudit({ ...requester, action: 'alert.test_mail', target: null })
  const sent = await mailer.send(composeTestMail(requester.actor, publicUrl))
  if (sent.outcome === 'failed') throw new HubError('mail_failed', { reason: sent.reason })
  return sent.rejected.length === 0
    ? 'The mail server accepted the test mail. Check that it arrives.'
    : `The mail server accepted the test mail, but rejected ${sent.rejected.join(', ')}.`
}
