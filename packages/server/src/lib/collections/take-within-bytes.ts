/** Those from the first on that together take no more bytes than that, but one at least. */
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
