import { sha256 } from '../../lib/crypto/hash.ts'
import { canonicalText, isJsonObject, type JsonValue } from '../../lib/json/lossless-json.ts'

/**
 * Knows of each record of a first read two numbers, so that a million take 60 MB, and 100 MB with a second
 * read: finds references that come twice, and what a second read brings otherwise. The numbers have 52 bits: at
 * a million records the chance that two references are taken for one is 1 in 9,000.
 */
export class ReadComparison {
  readonly #first = new Map<number, number>()
  readonly #second = new Set<number>()
  #different = 0

  /** @returns false where the reference was met before. */
  addFirst(reference: string, element: JsonValue): boolean {
    const name = shortHash(reference)
    if (this.#first.has(name)) return false
    this.#first.set(name, contentHash(element))
    return true
  }

  /** Whether the first read brought a record of this reference. */
  hasFirst(reference: string): boolean {
    return this.#first.has(shortHash(reference))
  }

  addSecond(reference: string, element: JsonValue): void {
    const name = shortHash(reference)
    if (this.#second.has(name)) return
    this.#second.add(name)
    if (this.#first.get(name) !== contentHash(element)) this.#different += 1
  }

  /** After the second read: how many records are different, new or gone, of how many of the first. */
  result(): { records: number; different: number; matching: number } {
    const matching = this.#second.size - this.#different
    const gone = [...this.#first.keys()].filter((name) => !this.#second.has(name)).length
    return { records: this.#first.size, different: this.#different + gone, matching }
  }
}

/** Of what the hub stores: the order of keys is none of it. */
function contentHash(element: JsonValue): number {
  if (!isJsonObject(element)) return shortHash(canonicalText(element))
  const { full_name = null, data = null } = element
  return shortHash(canonicalText({ full_name, data }))
}

/** 52 bits of a SHA-256, as a whole number. */
function shortHash(text: string): number {
  const bytes = Buffer.from(sha256(text), 'base64url')
  return bytes.readUIntBE(0, 6) * 16 + (bytes.readUInt8(6) & 15)
}
