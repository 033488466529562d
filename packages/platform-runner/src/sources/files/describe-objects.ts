import type { JsonValue } from '@recordhub/protocol/lossless-json'
import type { Kind } from '../../records/kind.ts'
import type { Column } from '../source.ts'

/** Enough to find rare members, few enough to be fast. */
const MAX_OBJECTS = 10_000

/** The members of the first objects and their kinds; members of different kinds are sent unchanged. */
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
    if (count === MAX_OBJECTS) break
  }
  return [...kinds].map(([name, kind]) => ({
    name,
    kind: kind ?? 'any',
    type: kind ?? 'null',
    comment: null,
    required: false,
  }))
}

/** Null for null. Texts are sent unchanged, so their kind is "any". */
function kindOf(value: JsonValue): Kind | null {
  if (value === null) return null
  if (typeof value === 'string') return 'any'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'number' || JSON.isRawJSON(value) ? 'number' : 'json'
}
