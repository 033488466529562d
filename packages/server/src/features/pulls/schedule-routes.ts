import { ClosedObject, Schedule } from '@recordhub/protocol'
import { Type } from 'typebox'
import { cronPatternOf } from '../../config/feature-settings.ts'
import type { Requester } from '../../domain/activity/activity.ts'
import { route } from '../../http/route.ts'
import type { FeatureDeps } from '../feature-deps.ts'

type ScheduleDeps = Pick<FeatureDeps, 'schedule' | 'nextRun'> & {
  config: Pick<FeatureDeps['config'], 'HUB_PULL_SCHEDULE'>
}

/** Reads, pauses and resumes the schedule of pulls. */
export function scheduleRoutes(deps: ScheduleDeps) {
  return [
    route('GET /api/v1/schedule', {
      summary: 'Read the schedule of pulls',
      response: { schedule: Schedule },
      handle: async () => ({ schedule: await readSchedule(deps) }),
    }),

    route('PATCH /api/v1/schedule', {
      summary: 'Pause or resume the schedule of pulls',
      body: ClosedObject({ paused: Type.Boolean() }),
      response: { schedule: Schedule },
      async handle({ body: { paused }, requester }) {
        await setPaused(deps, paused, requester)
        return { schedule: await readSchedule(deps) }
      },
    }),
  ]
}

export async function readSchedule({ schedule, config, nextRun }: ScheduleDeps): Promise<Schedule> {
  const pause = await schedule.readPause()
  const next = pause ? null : nextRun()
  return {
    pattern: cronPatternOf(config.HUB_PULL_SCHEDULE),
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
