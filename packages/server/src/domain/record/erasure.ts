/** How an erased record is told from others without its reference being kept, and what names it. */

import { isJsonObject, parseLossless } from '@recordhub/protocol/lossless-json'
import { hmacSha256 } from '../../lib/crypto/hash.ts'

/** What tells a record from all others, in words that outlive its platform's registration. */
export type RecordReference = {
  platform_name: string
  record_type: string
  reference_number: string
}

/** Stands for a reference where the reference itself must not be kept. */
export type HashReference = (reference: RecordReference) => string

/** Keyed, since references are short and could be found by trying. Another key gives other hashes. */
export function createHashReference(key: Uint8Array): HashReference {
  return ({ platform_name, record_type, reference_number }) =>
    hmacSha256(key, JSON.stringify([platform_name, record_type, reference_number]))
}

/** The reference that an anonymised record bears: nobody can guess it, nor learn the old one from it. */
export function pseudonymOf(recordId: number, referenceHash: string): string {
  return `anonymised-${recordId}-${referenceHash.slice(0, 16)}`
}

/**
 * Whether a refused body may be about a record: something in it may be its reference. One that cannot be
 * looked through may.
 * @param body JSON text.
 */
export function namesRecord(body: string, reference: string): boolean {
  const references = referencesIn(body)
  return references === null || references.has(reference)
}

/**
 * What in a refused body may be the reference of a record: texts and names of members, at any depth, and a
 * number that was sent as the reference.
 * @param body JSON text.
 * @returns null where it cannot be looked through.
 */
export function referencesIn(body: string): Set<string> | null {
  const found = new Set<string>()
  const left: { name: string; value: unknown }[] = []
  try {
    left.push({ name: '', value: parseLossless(body) })
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
  for (let next = left.pop(); next; next = left.pop()) {
    const { name, value } = next
    if (typeof value === 'string') found.add(value)
    else if (Array.isArray(value)) {
      for (const item of value) left.push({ name: '', value: item })
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        found.add(key)
        left.push({ name: key, value: member })
      }
    } else if (name === 'reference_number') {
      // Other numbers are mostly amounts: only what is called a reference is taken for one.
      found.add(JSON.stringify(value))
    }
  }
  return found
}
