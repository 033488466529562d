import { hash } from 'node:crypto'
import { canonicalText, isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'

/**
 * Finds duplicate references in the first read of a module, and the records that differ in a second read. It stores two
 * numbers per record: a million records take 60 MB, and 100 MB with the second read. The numbers are hashes of 52 bits:
 * among a million records, the probability that two references collide is 1 in 9,000.
 */
export class ReadComparison {
  readonly #first = new Map<number, number>()
  readonly #second = new Set<number>()
  #different = 0

  /** @returns false if the reference occurred before. */
  addFirst(reference: string, element: JsonValue): boolean {
    const id = shortHash(reference)
    if (this.#first.has(id)) return false
    this.#first.set(id, contentHash(element))
    return true
  }

  /** Whether the first read contained a record with this reference. */
  hasFirst(reference: string): boolean {
    return this.#first.has(shortHash(reference))
  }

  addSecond(reference: string, element: JsonValue): void {
    const id = shortHash(reference)
    if (this.#second.has(id)) return
    this.#second.add(id)
    if (this.#first.get(id) !== contentHash(element)) this.#different += 1
  }

  /**
   * Called after the second read.
   * @returns the number of `records` in the first read, of those that are `different` (changed, new or missing) in the
   * second, and of those that are `matching` in both.
   */
  result(): { records: number; different: number; matching: number } {
    const matching = this.#second.size - this.#different
    const missing = [...this.#first.keys()].filter((id) => !this.#second.has(id)).length
    return { records: this.#first.size, different: this.#different + missing, matching }
  }
}

/** The hash of the stored members of a record, independent of the order of keys. */
function contentHash(element: JsonValue): number {
  if (!isJsonObject(element)) return shortHash(canonicalText(element))
  const { full_name = null, data = null } = element
  return shortHash(canonicalText({ full_name, data }))
}

/** 52 bits of a SHA-256, as an integer. */
function shortHash(text: string): number {
  const bytes = hash('sha256', text, 'buffer')
  return bytes.readUIntBE(0, 6) * 16 + (bytes.readUInt8(6) & 15)
}
