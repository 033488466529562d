/** The filter and order of records in the query of a URL, for lists, exports and saved views. */

import { BY_RELEVANCE, RECORD_SORTS, RequestText } from '@recordhub/protocol'
import { FILTER_TESTS } from '@recordhub/protocol/field-filter'
import Type from 'typebox'
import { parseRecordQuery } from '../../domain/record/record-query.ts'
import { type FieldErrors, HubError } from '../../errors.ts'
import type { ListScope, ScopeQuery } from '../../storage/port/record-store.ts'
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
  changed_since: text(
    'A day, or a time with its zone; selects records changed at this time or later',
  ),
  sort: text(
    `${RECORD_SORTS.join(', ')} or data.<path>; a leading - sorts in descending order. With q also ${BY_RELEVANCE}: the name or the reference equals the search, begins with it, or words match elsewhere`,
  ),
}

export const FIELD_FILTERS = `To filter by a field, use \`filter[<path>]=<value>\` for equality, or \`filter[<path>][<test>]=<value>\` with one of the tests ${FILTER_TESTS.join(', ')}. A path is a key, or leads into nested values: \`birth.place\`, \`people[].role\`. A repeated filter sets two conditions, which must both be met; \`in\` has several values. See docs/records-api.md.`

/** The parameters of a list in a URL. A name with several values has a list of them. */
export type ListParameters = Record<string, string | string[] | undefined>

/** The schema of a filter by a column. `parseRecordQuery` rejects unknown parameters. */
export const FilterParameter = Type.Union([RequestText(), Type.Array(RequestText())])

/** A query, and what its names mean. */
export type ResolvedList<Scope extends ListScope> = { query: ListQuery; scope: Scope }

/**
 * Parses the query of a URL, and reads its scope once for the whole list.
 * @throws HubError `invalid_request` with an error for each invalid parameter.
 */
export async function resolveListQuery<Scope extends ListScope>(
  parameters: ListParameters | URLSearchParams,
  readScope: (query: ScopeQuery) => Promise<Scope>,
): Promise<ResolvedList<Scope>> {
  const parsed = parseRecordQuery(
    parameters instanceof URLSearchParams ? parameters : listPairs(parameters),
  )
  if (!parsed.ok) throw invalidQuery(parsed.errors)
  const { query, checkValues } = parsed
  const scope = await readScope(query)
  const errors = checkValues(scope.kinds)
  if (Object.keys(errors).length > 0) throw invalidQuery(errors)
  return { query, scope }
}

function invalidQuery(errors: FieldErrors): HubError {
  const [[name, problems] = []] = Object.entries(errors)
  return new HubError('invalid_request', { reason: `${name} ${problems?.[0]}` }, { errors })
}

/** Returns each value that the request has set, with its name. */
function listPairs(parameters: ListParameters): [string, string][] {
  return Object.entries(parameters).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
}
