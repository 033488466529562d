import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorResponse, Schedule } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import type { ScheduleStore } from '../../storage/port/schedule-store.ts'

type ScheduleDeps = {
  schedule: ScheduleStore
  /** The cron pattern of the settings; null if they disable the schedule. */
  pattern: string | null
  /** The next time of the schedule; null without one. */
  nextRun: () => Date | null
}

const ScheduleResponse = Type.Object({ success: Type.Literal(true), schedule: Schedule })

/** Reads, pauses and resumes the schedule of pulls. */
export function scheduleRoutes(
  deps: ScheduleDeps & { requesterOf: (request: FastifyRequest) => Requester },
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/schedule',
      { schema: { summary: 'Read the schedule of pulls', response: { 200: ScheduleResponse } } },
      async () => ({ success: true as const, schedule: await readSchedule(deps) }),
    )

    app.patch(
      '/api/v1/schedule',
      {
        schema: {
          summary: 'Pause or resume the schedule of pulls',
          body: Type.Object({ paused: Type.Boolean() }, { additionalProperties: false }),
          response: { 200: ScheduleResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        await setPaused(deps, request.body.paused, deps.requesterOf(request))
        return { success: true as const, schedule: await readSchedule(deps) }
      },
    )
  }
}

export async function readSchedule({
  schedule,
  pattern,
  nextRun,
}: ScheduleDeps): Promise<Schedule> {
  const pause = await schedule.readPause()
  const next = pause ? null : nextRun()
  return {
    pattern,
    paused: pause !== null,
    paused_since: pause?.since ?? null,
    paused_by: pause?.actor ?? null,
    next_run_at: next?.toISOString() ?? null,
  }
}

/** Pauses or resumes the schedule on all nodes. A running pull continues, and operators can still start pulls. */
async function setPaused(
  { schedule }: Pick<ScheduleDeps, 'schedule'>,
  paused: boolean,
  { actor, address }: Requester,
): Promise<void> {
  const kind = paused ? 'schedule.paused' : 'schedule.resumed'
  const message = paused
    ? 'The schedule of pulls was paused. Until it is resumed, only operators and programs start pulls.'
    : 'The schedule of pulls was resumed.'
  await schedule.setPaused(paused, actor, {
    activity: { level: paused ? 'warning' : 'info', kind, actor, message },
    audit: { actor, action: kind, target: null, address },
  })
}
