import type { Schedule } from '@recordhub/protocol'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { LIVE } from './queries.ts'

const PATH = '/api/v1/schedule'
type ScheduleAnswer = { schedule: Schedule }

/** When the hub pulls by itself. */
export function scheduleQuery() {
  return queryOptions({
    queryKey: ['schedule'],
    queryFn: ({ signal }) => callHub<ScheduleAnswer>(PATH, { signal }),
    meta: LIVE,
  })
}

/** Pauses or resumes the schedule. @throws HubCallError */
export async function pauseSchedule(client: QueryClient, paused: boolean): Promise<void> {
  const answer = await callHub<ScheduleAnswer>(PATH, { method: 'PATCH', body: { paused } })
  client.setQueryData(scheduleQuery().queryKey, answer)
}
