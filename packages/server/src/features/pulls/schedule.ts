import type { Schedule } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import type { PullDispatcher } from '../../storage/port/pull-dispatcher.ts'
import type { ScheduleStore } from '../../storage/port/schedule-store.ts'

export type ScheduleParts = {
  schedule: ScheduleStore
  dispatcher: Pick<PullDispatcher, 'nextRun'>
  /** The cron pattern of the settings; null where they switch the schedule off. */
  pattern: string | null
}

export async function readSchedule({
  schedule,
  dispatcher,
  pattern,
}: ScheduleParts): Promise<Schedule> {
  const pause = await schedule.readPause()
  const nextRun = pause ? null : dispatcher.nextRun()
  return {
    pattern,
    paused: pause !== null,
    paused_since: pause?.since ?? null,
    paused_by: pause?.actor ?? null,
    next_run_at: nextRun?.toISOString() ?? null,
  }
}

/** Pauses or resumes the schedule on all nodes. A pull that is running goes on, and one may be asked for. */
export async function pauseSchedule(
  parts: ScheduleParts,
  paused: boolean,
  { actor, address }: Requester,
): Promise<Schedule> {
  const kind = paused ? 'schedule.paused' : 'schedule.resumed'
  const message = paused
    ? 'The schedule of pulls was paused. Pulls start only by hand until it is resumed.'
    : 'The schedule of pulls was resumed.'
  await parts.schedule.setPaused(paused, actor, {
    activity: { level: paused ? 'warning' : 'info', kind, actor, message },
    audit: { actor, action: kind, target: null, address },
  })
  return readSchedule(parts)
}
