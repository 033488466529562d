/** When the fields of a record were last set, by which pushes with `occurred_at` are ordered. */

/**
 * The time at which each path of a record was last set, if platforms send `occurred_at`. Keys are JSON Pointers (RFC
 * 6901) into the record; `""` is the whole record, set by a POST. A path without an entry has the time of the record.
 */
export type FieldClocks = { [path: string]: string }

/** When a path was last set; null if it is unknown. */
export function lastSetAt(clocks: FieldClocks | null, path: string): string | null {
  return clocks?.[path] ?? clocks?.[''] ?? null
}

/** Whether a push of that time may set a path: no later one has set it. Null is now. */
export function canSet(
  clocks: FieldClocks | null,
  path: string,
  occurred_at: string | null,
): boolean {
  const setAt = lastSetAt(clocks, path)
  return occurred_at === null || setAt === null || occurred_at >= setAt
}

/**
 * The clocks after a push was merged. A push without `occurred_at` is ordered by its arrival: it removes the clocks of
 * the paths that it sets. Null if none are left.
 * @param readPaths returns the paths of the keys in the data of the push.
 */
export function advanceClocks(
  clocks: FieldClocks | null,
  push: {
    source: 'POST' | 'PATCH'
    full_name: string | null
    occurred_at: string | null
  },
  readPaths: () => readonly string[],
): FieldClocks | null {
  const at = push.occurred_at
  if (push.source === 'POST') {
    if (at === null) return null
    const newer = Object.entries(clocks ?? {}).filter(([path, clock]) => path !== '' && clock > at)
    return { ...Object.fromEntries(newer), '': at }
  }
  if (clocks === null && at === null) return null
  const next: FieldClocks = { ...clocks }
  const paths = [...readPaths()]
  if (push.full_name !== null) paths.push('/full_name')
  for (const path of paths) {
    if (at === null) delete next[path]
    else if (canSet(clocks, path, at)) next[path] = at
  }
  return Object.keys(next).length > 0 ? next : null
}
