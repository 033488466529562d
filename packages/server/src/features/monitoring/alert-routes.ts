import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  type Alert,
  AlertAnswer,
  AlertPage,
  AlertState,
  DoneAnswer,
  ErrorAnswer,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { CursorInteger, createCursorCodec, paginate } from '../../lib/collections/pagination.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { AlertStore } from '../../storage/port/alert-store.ts'
import { acknowledgeAlert } from './acknowledge-alert.ts'
import type { Mailer } from './mailer.ts'
import { sendTestMail } from './send-test-mail.ts'

const PAGE = 50
const CURSOR = createCursorCodec(Type.Object({ state: AlertState, id: CursorInteger }))

/** Alerts: reading and acknowledging them, and trying the mail. */
export function alertRoutes(parts: {
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
          summary: 'List alerts: the open ones first, each newest first',
          querystring: Type.Object(
            {
              state: Type.Optional(AlertState),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
              cursor: Type.Optional(Type.String()),
            },
            { additionalProperties: false },
          ),
          response: { 200: AlertPage, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const { state = null, limit = PAGE, cursor } = request.query
        const after = cursor === undefined ? null : CURSOR.decode(cursor)
        const found = await parts.alerts.listAlerts({ state, limit: limit + 1, after })
        const { page, next_cursor } = paginate(found, limit, encodeCursor)
        return { success: true as const, alerts: page, next_cursor }
      },
    )

    app.post(
      '/api/v1/alerts/:id/acknowledge',
      {
        schema: {
          summary: 'Say that somebody looks at an alert',
          params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
          response: { 200: AlertAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const alert = await acknowledgeAlert(parts, request.params.id, parts.requesterOf(request))
        return { success: true as const, alert }
      },
    )

    app.post(
      '/api/v1/alerts/test-mail',
      {
        schema: {
          summary: 'Send a test mail to where alerts go',
          response: { 200: DoneAnswer, '4xx': ErrorAnswer, '5xx': ErrorAnswer },
        },
      },
      async (request) => ({
        success: true as const,
        message: await sendTestMail(parts, parts.requesterOf(request)),
      }),
    )
  }
}

function encodeCursor({ id, resolved_at }: Alert): string {
  return CURSOR.encode({ state: resolved_at === null ? 'open' : 'resolved', id })
}
