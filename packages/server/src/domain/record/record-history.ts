/** What a record's history says of its past: pure readings of its entries, newest first. */
import type { Change } from '@recordhub/protocol'
import { isJsonObject, type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { pointerTo } from './field-clock.ts'

/** What of a record changes. */
export type RecordContent = {
  full_name: string
  data: Record<string, unknown>
  incomplete: boolean
  missing_since: string | null
}

/** One place that a change touched; a side that was not there is left out. */
export type ParsedChange = Change & { before?: JsonValue; after?: JsonValue }

/** @param text of a history entry, as it is stored. */
export function parseChanges(text: string): ParsedChange[] {
  const changes = parseLossless(text)
  if (!Array.isArray(changes)) throw new Error('A stored history entry is no list')
  return changes
    .filter(isJsonObject)
    .map(({ path, ...sides }) => ({ path: String(path), ...sides }))
}

/** The content as it was before an entry's changes; nothing that is given is changed. */
export function undoChanges(content: RecordContent, changes: ParsedChange[]): RecordContent {
  const past = { ...content, data: { ...content.data } }
  for (const { path, before } of changes) {
    const key = keyAt(path)
    if (key !== null) {
      if (before === undefined) delete past.data[key]
      else past.data[key] = before
    } else if (path === '/full_name') past.full_name = String(before)
    else if (path === '/incomplete') past.incomplete = before === true
    else if (path === '/missing_since') past.missing_since = textOrNull(before)
  }
  return past
}

/** The places of a record that hold a value of its own, as JSON Pointers. */
export function placesOf(content: Pick<RecordContent, 'data'>): string[] {
  return ['/full_name', ...Object.keys(content.data).map(pointerTo)]
}

/**
 * Whether a record's past at a moment is known, where its newest change is later than that moment.
 * @param keptSince from when on no history was deleted; null where none ever was.
 */
export function isPastKept(keptSince: string | null, moment: string): boolean {
  return keptSince === null || keptSince <= moment
}

/** The key of `data` that a JSON Pointer leads to; null where it leads elsewhere. */
function keyAt(pointer: string): string | null {
  if (!pointer.startsWith('/data/')) return null
  return pointer.slice('/data/'.length).replaceAll('~1', '/').replaceAll('~0', '~')
}

function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}
