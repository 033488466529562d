import type { Schedule } from '@recordhub/protocol'
import type { QueryClient } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { getQuery } from './get-query.ts'
import { onSchedule, showSchedule } from './live.ts'

const PATH = '/api/v1/schedule'
type ScheduleBody = { schedule: Schedule }

/** The schedule of automatic pulls. */
export const scheduleQuery = () => getQuery<ScheduleBody>(`GET ${PATH}`, { live: true })

/** Shows the schedule that an action or event has returned, without a request. */
export function followSchedule(client: QueryClient): void {
  onSchedule((schedule) => {
    client.setQueryData(scheduleQuery().queryKey, (cached) => cached && { ...cached, schedule })
  })
}

/** Pauses or resumes the schedule. @throws HubCallError */
export async function pauseSchedule(paused: boolean): Promise<void> {
  const { schedule } = await callHub<ScheduleBody>(PATH, { method: 'PATCH', body: { paused } })
  showSchedule(schedule)
}
