import type { ActivityFilter as Given } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import { parseTimestamp } from '../../lib/time/rfc3339.ts'
import type { ActivityFilter } from '../../storage/port/activity-store.ts'

/** @throws HubError `invalid_request` where a time is none. */
export function readActivityFilter(given: Given): ActivityFilter {
  const { record, q = '', since, until, ...filter } = given
  return {
    ...filter,
    record_id: record ?? null,
    words: q.split(/\s+/).filter((word) => word !== ''),
    since: readTime('since', since),
    until: readTime('until', until),
  }
}

/**
 * A time as lines and entries are written with it.
 * @throws HubError `invalid_request` where it is none.
 */
export function readTime(name: string, given: string | undefined): string | null {
  if (given === undefined) return null
  const time = parseTimestamp(given)
  if (time !== null) return time
  const fault = 'must be a date-time of RFC 3339, such as 2026-11-21T07:30:00Z'
  const reason = `${name} ${fault}`
  throw new HubError('invalid_request', { reason }, { errors: { [name]: [fault] } })
}
