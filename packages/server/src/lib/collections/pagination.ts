import { HubError } from '../../errors.ts'

/**
 * Returns one page of a list, and the cursor of the next page; null at the end.
 * @param found up to `limit + 1` rows in the order of the list.
 */
export function paginate<Row>(
  found: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string | number,
): { page: Row[]; next_cursor: string | null } {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const hasMore = last !== undefined && found.length > limit
  return { page, next_cursor: hasMore ? String(cursorOf(last)) : null }
}

/** The error for a cursor that does not belong to this list. */
export function cursorInvalid(): HubError {
  const reason = 'the cursor does not belong to this list; start again without it'
  const errors = { cursor: ['does not belong to this list'] }
  return new HubError('invalid_request', { reason }, { errors })
}
