import { HubError } from '../../errors.ts'

/**
 * A page of a list, and the cursor that leads on from its last row; null at the end.
 * @param found in the order of the list: of more than `limit` rows, one more than that.
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

/** What is told to whoever sends a cursor that no page of the list gave. */
export function cursorInvalid(): HubError {
  const reason = 'the cursor is not one of this list; begin again without it'
  const errors = { cursor: ['is not one of this list'] }
  return new HubError('invalid_request', { reason }, { errors })
}
