import type { Static, TSchema } from 'typebox'
import Type from 'typebox'
import { Compile } from 'typebox/compile'

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

/** An id or a number of a sequence in a cursor. */
export const CursorInteger = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
})

/** The cursor of a request does not belong to the list. */
export class InvalidCursorError extends Error {
  override name = 'InvalidCursorError'
}

/**
 * Encodes the positions of a list as opaque cursors for clients, and decodes them.
 * @param schema describes a position of the list.
 */
export function createCursorCodec<Schema extends TSchema>(schema: Schema) {
  const validator = Compile(schema)
  return {
    encode: (position: Static<Schema>): string =>
      Buffer.from(JSON.stringify(position)).toString('base64url'),

    /** @throws InvalidCursorError for a cursor of another list. */
    decode(cursor: string): Static<Schema> {
      const position = parseJson(Buffer.from(cursor, 'base64url').toString())
      if (!validator.Check(position)) throw new InvalidCursorError()
      return position
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Maximum size in bytes of the stored data in one page of a response. A page has at least one row. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024

/** Returns the first items whose total size is at most `maxBytes`, but at least one. */
export function takeWithinBytes<Item extends { bytes: number }>(
  items: readonly Item[],
  maxBytes: number,
): Item[] {
  return splitByBytes(items, maxBytes)[0] ?? []
}

/** Splits items into parts of at most `maxBytes`; a larger item is a part of its own. At least one part, maybe empty. */
export function splitByBytes<Item extends { bytes: number }>(
  items: readonly Item[],
  maxBytes: number,
): Item[][] {
  let part: Item[] = []
  let bytes = 0
  const parts = [part]
  for (const item of items) {
    if (part.length > 0 && bytes + item.bytes > maxBytes) {
      part = []
      parts.push(part)
      bytes = 0
    }
    part.push(item)
    bytes += item.bytes
  }
  return parts
}
