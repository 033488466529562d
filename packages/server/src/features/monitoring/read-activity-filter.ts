import type { ActivityFilter as Given } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import { parseTimestamp } from '../../lib/time/rfc3339.ts'
import type { ActivityFilter } from '../../storage/port/activity-store.ts'

/** @throws HubError `invalid_request` for an invalid time. */
export function readActivityFilter(given: Given): ActivityFilter {
  const { record, q = '', since, until, ...filter } = given
  return {
    ...filter,
    record_id: record ?? null,
    terms: q.split(/\s+/).filter((word) => word !== ''),
    since: readTime('since', since),
    until: readTime('until', until),
  }
}

/** A time in the form in which it is stored. @throws HubError `invalid_request` if it is not valid. */
export function readTime(name: string, given: string | undefined): string | null {
  if (given === undefined) return null
  const time = parseTimestamp(given)
  if (time !== null) return time
  const issue = 'must be an RFC 3339 date-time such as 2026-11-21T07:30:00Z'
  const reason = `${name} ${issue}`
  throw new HubError('invalid_request', { reason }, { errors: { [name]: [issue] } })
}
