import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer, Schedule } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { pauseSchedule, readSchedule, type ScheduleParts } from './schedule.ts'

const Answer = Type.Object({ success: Type.Literal(true), schedule: Schedule })

/** When the hub pulls by itself, and whether it does. */
export function scheduleRoutes(
  parts: ScheduleParts & { requesterOf: (request: FastifyRequest) => Requester },
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/schedule',
      { schema: { summary: 'Read the schedule of pulls', response: { 200: Answer } } },
      async () => ({ success: true as const, schedule: await readSchedule(parts) }),
    )

    app.patch(
      '/api/v1/schedule',
      {
        schema: {
          summary: 'Pause or resume the schedule of pulls',
          body: Type.Object({ paused: Type.Boolean() }, { additionalProperties: false }),
          response: { 200: Answer, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const requester = parts.requesterOf(request)
        const schedule = await pauseSchedule(parts, request.body.paused, requester)
        return { success: true as const, schedule }
      },
    )
  }
}
