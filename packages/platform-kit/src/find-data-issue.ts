import { MAX_JSON_DEPTH } from '@recordhub/protocol/constants'

/** The body of a push, or an element of `records`, is level 1, so its `data` is level 2. */
const DATA_DEPTH = 2

/**
 * Returns why a record's data cannot be sent as JSON, without a full stop; null if it can. `JSON.stringify` throws for
 * some of these values without naming the path, and silently converts others.
 * @param undefinedIs whether an undefined member is an issue, or is left out.
 */
export function findDataIssue(data: unknown, undefinedIs: 'issue' | 'omitted'): string | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return 'data is not an object'
  }

  function findInValue(value: unknown, path: string, depth: number): string | null {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return null
    if (typeof value === 'number') {
      return Number.isFinite(value) ? null : `${path} is ${value}, which JSON cannot represent`
    }
    if (typeof value === 'undefined') {
      return undefinedIs === 'omitted'
        ? null
        : `${path} is undefined: use null to clear the field, or leave it out`
    }
    if (typeof value === 'bigint') return `${path} is a BigInt: convert it to a string or number`
    if (typeof value !== 'object')
      return `${path} is a ${typeof value}, which JSON cannot represent`
    return findInObject(value, path, depth)
  }

  function findInObject(value: object, path: string, depth: number): string | null {
    // The limit also ends circular references.
    if (depth > MAX_JSON_DEPTH) return `${path.slice(0, 60)}… is nested too deeply`
    if (value instanceof Date && Number.isNaN(value.getTime())) return `${path} is an invalid Date`
    if (ArrayBuffer.isView(value)) return `${path} is binary: encode it as text, such as Base64`
    if (value instanceof Promise) return `${path} is a Promise: await it`
    if (value instanceof Map || value instanceof Set) {
      return `${path} is a ${value.constructor.name}: convert it to an object or array`
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return findInValue(value.toJSON(), path, depth + 1)
    }
    if (Array.isArray(value)) {
      // `keys` includes the holes of sparse arrays, which are undefined too.
      return findFirst(value.keys(), (index) =>
        findInValue(value[index], `${path}[${index}]`, depth + 1),
      )
    }
    return findFirst(Object.entries(value), ([key, member]) =>
      key === '__proto__'
        ? `${path} has a key __proto__, which the hub rejects`
        : findInValue(member, `${path}.${key}`, depth + 1),
    )
  }
  return findInObject(data, 'data', DATA_DEPTH)
}

function findFirst<Item>(
  items: Iterable<Item>,
  find: (item: Item) => string | null,
): string | null {
  for (const item of items) {
    const issue = find(item)
    if (issue !== null) return issue
  }
  return null
}
