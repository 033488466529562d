/** Maximum size in bytes of the stored data in one page of a response. A page has at least one row. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024

/** Returns the first items whose total size is at most `maxBytes`, but at least one. */
export function takeWithinBytes<Item extends { bytes: number }>(
  items: readonly Item[],
  maxBytes: number,
): Item[] {
  let bytes = 0
  return items.filter(({ bytes: own }, index) => {
    bytes += own
    return index === 0 || bytes <= maxBytes
  })
}
