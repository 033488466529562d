/** Keeps the order of a list while it is read: items that are over go, and new ones wait until they are asked for. */
export function keepOrder<Item extends { key: string }>(
  found: readonly Item[],
  shownKeys: readonly string[],
): { shown: Item[]; added: Item[] } {
  const byKey = new Map(found.map((item) => [item.key, item]))
  const shown = shownKeys.flatMap((key) => byKey.get(key) ?? [])
  const known = new Set(shownKeys)
  return { shown, added: found.filter(({ key }) => !known.has(key)) }
}
