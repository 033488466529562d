/** The filter and order of records in the query of a URL, for lists, exports and saved views. */
import { BY_RELEVANCE, RECORD_SORTS, RequestText } from '@recordhub/protocol'
import { FILTER_TESTS } from '@recordhub/protocol/field-filter'
import Type from 'typebox'
import {
  isDataColumn,
  parseRecordQuery,
  type RecordFilter,
  type RecordOrder,
} from '../../domain/record/record-query.ts'
import { type FieldErrors, HubError } from '../../errors.ts'
import {
  CursorInteger,
  createCursorCodec,
  InvalidCursorError,
} from '../../lib/collections/pagination.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { isStorableText, truncateCodePoints } from '../../lib/text/code-points.ts'
import type {
  ListScope,
  Position,
  RecordPage,
  RecordQuery,
} from '../../storage/port/record-list-store.ts'
import type { RecordStore, ScopeQuery } from '../../storage/port/record-store.ts'

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

export type ListQuery = RecordFilter & RecordOrder
type List = { query: ListQuery; scope: ListScope }
/** Where a page begins, and the newest module and removal when the first page was read. */
type PageStart = Pick<RecordQuery, 'after' | 'backwards'> & {
  last_module: number
  last_removal: number
}

/** Maximum length of a value, in code points. A cursor is part of a URL, and a name can be as long as a push. */
const MAX_VALUE_LENGTH = 1000

const CODEC = createCursorCodec(
  Type.Object({
    /** Identifies the filter and the order. */
    list: Type.String(),
    /** Identifies what they mean. */
    scope: Type.String(),
    last_module: CursorInteger,
    last_removal: CursorInteger,
    backwards: Type.Boolean(),
    value: Type.Union([Type.String(), CursorInteger, Type.Null()]),
    record_id: CursorInteger,
    /** Whether `value` is only the beginning of a text. */
    truncated: Type.Boolean(),
  }),
)

/** Returns the start of the first page. */
export function startOf({ modules, last_removal }: ListScope): PageStart {
  const last_module = Math.max(0, ...modules.map(({ module_id }) => module_id))
  return { after: null, backwards: false, last_module, last_removal }
}

/** Returns the cursors of the next and the previous page; null for a page that does not exist. */
export function findCursors(
  page: RecordPage,
  start: PageStart,
  list: List,
): { next_cursor: string | null; previous_cursor: string | null } {
  const { first, last, stopped_at, has_more } = page
  const { after, backwards } = start
  const encode = (position: Position | null, isBackwards: boolean) =>
    position && encodePosition(list, position, { ...start, backwards: isBackwards })
  const ahead = has_more ? (stopped_at ?? (backwards ? first : last)) : null
  if (after === null) return { next_cursor: encode(ahead, false), previous_cursor: null }
  // An empty page has no positions. The page in the other direction then includes the record of `after`.
  const behind =
    (backwards ? last : first) ?? neighbourOf(after, backwards === list.query.descending)
  return backwards
    ? { next_cursor: encode(behind, false), previous_cursor: encode(ahead, true) }
    : { next_cursor: encode(ahead, false), previous_cursor: encode(behind, true) }
}

/** Returns a position directly above or below a record; records of equal value are ordered by id. */
function neighbourOf({ value, record_id }: Position, above: boolean): Position {
  return { value, record_id: above ? record_id + 1 : record_id - 1 }
}

function encodePosition(
  list: List,
  { value, record_id }: Position,
  { backwards, last_module, last_removal }: PageStart,
) {
  const short = typeof value === 'string' ? truncateCodePoints(value, MAX_VALUE_LENGTH) : value
  const truncated = short !== value
  return CODEC.encode({
    ...{ list: hashOfQuery(list.query), scope: hashOfScope(list.scope, last_module) },
    ...{ last_module, last_removal, backwards, value: short, record_id, truncated },
  })
}

/**
 * @throws InvalidCursorError if the cursor does not belong to this list.
 * @throws HubError `list_changed` if the query means something else than on the first page.
 */
export async function decodeCursor(
  records: Pick<RecordStore, 'readRecord'>,
  cursor: string,
  { query, scope }: List,
): Promise<PageStart> {
  const { list, value, record_id, truncated, ...rest } = CODEC.decode(cursor)
  const { backwards, last_module, last_removal } = rest
  if (list !== hashOfQuery(query) || !isValueOf(query.sort, value)) throw new InvalidCursorError()
  if (rest.scope !== hashOfScope(scope, last_module)) throw new HubError('list_changed')
  const start = { backwards, last_module, last_removal }
  if (!truncated) return { ...start, after: { value, record_id } }

  const beginning = String(value)
  const name = (await records.readRecord(record_id))?.full_name
  if (name?.startsWith(beginning)) return { ...start, after: { value: name, record_id } }
  // The record was deleted or renamed. The page may repeat records, but must not skip any.
  const isDescending = query.descending !== backwards
  const first = isDescending ? `${beginning}\u{10ffff}` : beginning
  return { ...start, after: { value: first, record_id } }
}

function hashOfQuery({ sort, descending, ...filter }: ListQuery): string {
  return hash([sort, descending, filter])
}

/**
 * Modules that were registered later do not change what the list contains, except for the kinds of its fields. Of a list of
 * all modules, only removals change what it contains.
 */
function hashOfScope(scope: ListScope, lastModule: number): string {
  const { everywhere, modules, kinds, reviewed } = scope
  const listed = everywhere ? [] : modules
  const ids = listed.map(({ module_id }) => module_id).filter((id) => id <= lastModule)
  return hash([ids, [...kinds], reviewed])
}

function hash(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 10)
}

function isValueOf(sort: ListQuery['sort'], value: Position['value']): boolean {
  if (value === null) return isDataColumn(sort)
  const isText = isDataColumn(sort) || sort === 'reference_number' || sort === 'full_name'
  return typeof value === 'string' ? isText && isStorableText(value) : !isText
}
