import type { JsonValue } from '@recordhub/protocol/lossless-json'
import type { Kind } from '../../records/kind.ts'
import type { Column } from '../source.ts'

/** Enough to meet what is rare, few enough to be quick. */
const LOOKED_AT = 10_000

/** The members of the first objects, and what they are; those that differ in kind are sent as they are. */
export async function describeObjects(
  objects: AsyncIterable<Record<string, JsonValue>>,
): Promise<Column[]> {
  const kinds = new Map<string, Kind | null>()
  let count = 0
  for await (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      const before = kinds.get(name) ?? null
      const kind = kindOf(value)
      kinds.set(
        name,
        before === null || kind === null ? (kind ?? before) : before === kind ? kind : 'any',
      )
    }
    count += 1
    if (count === LOOKED_AT) break
  }
  return [...kinds].map(([name, kind]) => ({
    name,
    kind: kind ?? 'any',
    type: kind ?? 'null',
    comment: null,
    required: false,
  }))
}

/** Null of what says nothing. Texts stay as they are, so their kind is "any". */
function kindOf(value: JsonValue): Kind | null {
  if (value === null) return null
  if (typeof value === 'string') return 'any'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'number' || JSON.isRawJSON(value) ? 'number' : 'json'
}
