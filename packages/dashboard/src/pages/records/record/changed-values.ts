import { isPlainObject, textOfValue } from '../../../lib/lossless-json.ts'

type ChangedValue = {
  /** Keys and positions within the value of the field. */
  path: readonly (string | number)[]
  before: unknown
  after: unknown
}

/** More than this are shown as one change of the whole. */
const MAX_VALUES = 8

/** The values within a field that a change has set, added or removed. */
export function changedValues({
  before,
  after,
}: {
  before?: unknown
  after?: unknown
}): ChangedValue[] {
  const values = differences(before, after, [])
  return values.length <= MAX_VALUES ? values : [{ path: [], before, after }]
}

function differences(
  before: unknown,
  after: unknown,
  path: readonly (string | number)[],
): ChangedValue[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    return Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, index) =>
      differences(before[index], after[index], [...path, index]),
    )
  }
  if (isPlainObject(before) && isPlainObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => differences(before[key], after[key], [...path, key]))
  }
  const isSame = before === after || (path.length > 0 && textOf(before) === textOf(after))
  return isSame ? [] : [{ path, before, after }]
}

/** With its quotes, so that a text differs from a number. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : (textOfValue(value) ?? String(value))
}
