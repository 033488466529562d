/** Reconstructs the past of a record from its history entries, newest first: pure. */
import type { Change } from '@recordhub/protocol'
import { isJsonObject, type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { pointerTo } from './record.ts'

/** The parts of a record that change. */
export type RecordContent = {
  full_name: string
  data: Record<string, unknown>
  incomplete: boolean
  missing_since: string | null
}

/** One changed path. `before` or `after` is left out if there was no value. */
export type ParsedChange = Change & { before?: JsonValue; after?: JsonValue }

/** @param text the changes of a history entry, as stored. */
export function parseChanges(text: string): ParsedChange[] {
  const changes = parseLossless(text)
  if (!Array.isArray(changes))
    throw new Error('The changes of a stored history entry are not a list')
  return changes
    .filter(isJsonObject)
    .map(({ path, ...sides }) => ({ path: String(path), ...sides }))
}

/** Returns the content before an entry's changes. Does not modify its arguments. */
export function undoChanges(content: RecordContent, changes: ParsedChange[]): RecordContent {
  const past = { ...content, data: { ...content.data } }
  for (const { path, before } of changes) {
    const key = dataKeyOf(path)
    if (key !== null) {
      if (before === undefined) delete past.data[key]
      else past.data[key] = before
    } else if (path === '/full_name') past.full_name = String(before)
    else if (path === '/incomplete') past.incomplete = before === true
    else if (path === '/missing_since') past.missing_since = textOrNull(before)
  }
  return past
}

/** The paths of a record's values, as JSON Pointers. */
export function valuePaths(content: Pick<RecordContent, 'data'>): string[] {
  return ['/full_name', ...Object.keys(content.data).map(pointerTo)]
}

/**
 * Whether the history is sufficient to reconstruct a record at a time before its latest change.
 * @param storedSince no history since then was deleted; null if none was ever deleted.
 */
export function isPastStored(storedSince: string | null, moment: string): boolean {
  return storedSince === null || storedSince <= moment
}

/** The key of `data` that a JSON Pointer refers to; null if it refers to something else. */
export function dataKeyOf(pointer: string): string | null {
  if (!pointer.startsWith('/data/')) return null
  return pointer.slice('/data/'.length).replaceAll('~1', '/').replaceAll('~0', '~')
}

function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}
