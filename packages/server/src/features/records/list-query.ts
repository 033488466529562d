/** What narrows and orders records in the query of a URL: the list's, an export's, a saved view's. */

import { RECORD_SORTS } from '@recordhub/protocol'
import Type from 'typebox'
import { parseRecordQuery, TESTS } from '../../domain/record/record-query.ts'
import { HubError } from '../../errors.ts'
import type { ListQuery } from './record-cursor.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const YES_OR_NO = 'true or false'

export const ListFilters = {
  platform: text('The platform_name'),
  record_type: text('The record_type of a module'),
  reference_number: text('The whole reference number'),
  q: text('Words, or phrases in quotes, that must all be in name, reference or values'),
  incomplete: text(YES_OR_NO),
  missing: text(YES_OR_NO),
  missing_review: text('The id of a review of missing records: the records that it is about'),
  changed_since: text('RFC 3339: changed at this time or later'),
  sort: text(`${RECORD_SORTS.join(', ')} or data.<key>; - before it turns it round`),
}

export const FIELD_FILTERS = `Filters by fields: \`filter[<key>]=<value>\` for equality, or \`filter[<key>][<test>]=<value>\` with one of ${TESTS.join(', ')}; see docs/records-api.md.`

/** @throws HubError `invalid_request` naming each parameter that does not fit. */
export function readListQuery(parameters: Iterable<[string, string]>): ListQuery {
  const parsed = parseRecordQuery(parameters)
  if (parsed.ok) return parsed.query
  const [[name, problems] = []] = Object.entries(parsed.errors)
  const reason = `${name} ${problems?.[0]}`
  throw new HubError('invalid_request', { reason }, { errors: parsed.errors })
}

/** The parameters that were given, of those that a route knows. */
export function givenOf(query: Record<string, string | undefined>): [string, string][] {
  return Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
}
