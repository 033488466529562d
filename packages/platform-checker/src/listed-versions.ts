import { hash } from 'node:crypto'
import { createDigest, type DigestSums, readVersion } from '@recordhub/protocol'
import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'

/** 4,096 buckets, whatever the size of the module. */
export const LIST_DIGITS = 3

export const md5 = (text: string) => hash('md5', text)

/** The versions of the records that a module lists, as their digest. Memory does not grow with the number of records. */
export class ListedVersions {
  readonly #digest = createDigest({ digits: LIST_DIGITS, prefixes: null }, md5)
  records = 0
  missing = 0
  /** The reference of the first record without a version. */
  firstMissing: string | null = null

  /** @returns whether the element has a version, or none, or a value that is no version. */
  add(reference: string, element: JsonValue): 'valid' | 'missing' | 'invalid' {
    this.records += 1
    const value = isJsonObject(element) ? (element['version'] ?? null) : null
    const version = readVersion(value)
    if (version !== null) {
      this.#digest.add(reference, version)
      return 'valid'
    }
    this.missing += 1
    this.firstMissing ??= reference
    return value === null ? 'missing' : 'invalid'
  }

  get buckets(): DigestSums {
    return this.#digest.buckets
  }

  /** Whether at least one bucket is the same in both, or one of them has no version at all. */
  hasCommonBucket(other: ListedVersions): boolean {
    if (this.buckets.size === 0 || other.buckets.size === 0) return true
    return [...this.buckets].some(([prefix, { sum }]) => other.buckets.get(prefix)?.sum === sum)
  }
}

/** The prefixes of the buckets that differ in number or sum, or that only one side has. */
export function findDifferingBuckets(one: DigestSums, other: DigestSums): string[] {
  const prefixes = new Set([...one.keys(), ...other.keys()])
  return [...prefixes].filter((prefix) => {
    const [here, there] = [one.get(prefix), other.get(prefix)]
    return here?.count !== there?.count || here?.sum !== there?.sum
  })
}
