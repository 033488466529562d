/**
 * When each place of a record was last set, as far as platforms said so with `occurred_at`. Keys are
 * JSON Pointers (RFC 6901) into the record; `""` is the whole record, set by a POST. A place without
 * an entry of its own is as old as the whole.
 */
export type FieldClocks = { [path: string]: string }

/** When a place was set; null where nobody said. */
export function lastSetAt(clocks: FieldClocks | null, path: string): string | null {
  return clocks?.[path] ?? clocks?.[''] ?? null
}

/** The JSON Pointer to a key of a record's `data`. */
export function pointerTo(key: string): string {
  return `/data/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/**
 * The clocks after a push was merged. A push that does not say when it occurred is ordered by its
 * arrival: it takes the clocks away from what it set. Null where none are left.
 */
export function advanceClocks(
  clocks: FieldClocks | null,
  push: {
    source: 'POST' | 'PATCH'
    full_name: string | null
    data: { readonly [key: string]: unknown }
    occurred_at: string | null
  },
): FieldClocks | null {
  const at = push.occurred_at
  if (push.source === 'POST') {
    if (at === null) return null
    const newer = Object.entries(clocks ?? {}).filter(([path, clock]) => path !== '' && clock > at)
    return { ...Object.fromEntries(newer), '': at }
  }
  if (clocks === null && at === null) return null
  const next: FieldClocks = { ...clocks }
  const places = Object.keys(push.data).map(pointerTo)
  if (push.full_name !== null) places.push('/full_name')
  for (const path of places) {
    if (at === null) delete next[path]
    else if (at >= (lastSetAt(clocks, path) ?? '')) next[path] = at
  }
  return Object.keys(next).length > 0 ? next : null
}
