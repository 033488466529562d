import { MAX_JSON_DEPTH } from '@recordhub/protocol/constants'

/** The body, or an element of `records`, is level 1, and its `data` level 2. */
const DATA_DEPTH = 2

/**
 * Why a record's data cannot go to the hub as they are meant, as a sentence without its end; null where they
 * can. `JSON.stringify` would throw at some of it without a name, and turn other into something else
 * without a word.
 * @param undefinedIs what a member that is undefined is: a fault, or simply not there.
 */
export function findDataFault(data: unknown, undefinedIs: 'fault' | 'absent'): string | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return 'data is no object'

  function find(value: unknown, path: string, depth: number): string | null {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return null
    if (typeof value === 'number') {
      return Number.isFinite(value) ? null : `${path} is ${value}, which JSON cannot say`
    }
    if (typeof value === 'undefined') {
      return undefinedIs === 'absent'
        ? null
        : `${path} is undefined: use null to empty it, or leave it out`
    }
    if (typeof value === 'bigint') return `${path} is a BigInt: make it a text or a number`
    if (typeof value !== 'object') return `${path} is a ${typeof value}, which JSON cannot say`
    return findInObject(value, path, depth)
  }

  function findInObject(value: object, path: string, depth: number): string | null {
    // What refers to itself ends here too.
    if (depth > MAX_JSON_DEPTH) return `${path.slice(0, 60)}… is nested too deep`
    if (value instanceof Date && Number.isNaN(value.getTime())) return `${path} is no valid Date`
    if (ArrayBuffer.isView(value)) return `${path} is binary: make it a text, such as Base64`
    if (value instanceof Promise) return `${path} is a Promise: await it`
    if (value instanceof Map || value instanceof Set) {
      return `${path} is a ${value.constructor.name}: make it an object or an array`
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return find(value.toJSON(), path, depth + 1)
    }
    if (Array.isArray(value)) {
      // Not `entries` of the array's own kind: holes are undefined too.
      return firstOf(value.keys(), (index) => find(value[index], `${path}[${index}]`, depth + 1))
    }
    return firstOf(Object.entries(value), ([key, member]) =>
      key === '__proto__'
        ? `${path} has a key __proto__, which the hub refuses`
        : find(member, `${path}.${key}`, depth + 1),
    )
  }
  return findInObject(data, 'data', DATA_DEPTH)
}

function firstOf<Item>(items: Iterable<Item>, find: (item: Item) => string | null): string | null {
  for (const item of items) {
    const found = find(item)
    if (found !== null) return found
  }
  return null
}
