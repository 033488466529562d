/** The filter and order of records in the query of a URL, for lists, exports and saved views. */

import { RECORD_SORTS, RequestText } from '@recordhub/protocol'
import Type from 'typebox'
import { parseRecordQuery, TESTS } from '../../domain/record/record-query.ts'
import { HubError } from '../../errors.ts'
import type { ListQuery } from './record-cursor.ts'

const text = (description: string) => Type.Optional(RequestText({ description }))
const TRUE_OR_FALSE = 'true or false'

export const ListFilters = {
  platform: text('The platform_name'),
  record_type: text('The record_type of a module'),
  reference_number: text('The complete reference number'),
  q: text(
    'Words or quoted phrases, which must all match. Finds the beginnings of words in all values, and any part of three or more characters of the name and the reference. See docs/records-api.md.',
  ),
  incomplete: text(TRUE_OR_FALSE),
  missing: text(TRUE_OR_FALSE),
  missing_review: text('The id of a missing review; selects its records'),
  changed_since: text('RFC 3339; selects records changed at this time or later'),
  sort: text(`${RECORD_SORTS.join(', ')} or data.<key>; a leading - sorts in descending order`),
}

export const FIELD_FILTERS = `To filter by a field, use \`filter[<key>]=<value>\` for equality, or \`filter[<key>][<test>]=<value>\` with one of the tests ${TESTS.join(', ')}. See docs/records-api.md.`

/** @throws HubError `invalid_request` with an error for each invalid parameter. */
export function readListQuery(parameters: Iterable<[string, string]>): ListQuery {
  const parsed = parseRecordQuery(parameters)
  if (parsed.ok) return parsed.query
  const [[name, problems] = []] = Object.entries(parsed.errors)
  const reason = `${name} ${problems?.[0]}`
  throw new HubError('invalid_request', { reason }, { errors: parsed.errors })
}

/** Returns the parameters that the request has set. */
export function pickGiven(query: Record<string, string | undefined>): [string, string][] {
  return Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
}
