/** Identifies erased records without storing their references, and finds texts that name a record. */
import { isJsonObject, parseLossless } from '@recordhub/protocol/lossless-json'
import { hmacSha256 } from '../../lib/crypto/hash.ts'

/** Identifies a record even after its platform has been renamed, or removed and registered again. */
export type RecordReference = {
  /** The name with which the platform was first registered. */
  first_name: string
  record_type: string
  reference_number: string
}

/** Returns a hash that replaces a reference which must not be stored. */
export type HashReference = (reference: RecordReference) => string

/** The hash has a key, because references are short enough to be found by brute force. */
export function createHashReference(key: Uint8Array): HashReference {
  return ({ first_name, record_type, reference_number }) =>
    hmacSha256(key, JSON.stringify([first_name, record_type, reference_number]))
}

/** Returns the reference of an anonymised record. It cannot be predicted, and does not reveal the original reference. */
export function pseudonymOf(recordId: number, referenceHash: string): string {
  return `anonymised-${recordId}-${referenceHash.slice(0, 16)}`
}

/**
 * Whether a rejected body may contain a record's reference. Returns true if the body cannot be parsed.
 * @param body JSON text.
 */
export function mayContainReference(body: string, reference: string): boolean {
  const references = findReferences(body)
  return references === null || references.has(reference)
}

/**
 * Returns everything in a rejected body that may be the reference of a record: strings and member names at any
 * depth, and a number sent as `reference_number`.
 * @param body JSON text.
 * @returns null if the body cannot be parsed.
 */
export function findReferences(body: string): Set<string> | null {
  const found = new Set<string>()
  const pending: { name: string; value: unknown }[] = []
  try {
    pending.push({ name: '', value: parseLossless(body) })
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { name, value } = next
    if (typeof value === 'string') found.add(value)
    else if (Array.isArray(value)) {
      for (const item of value) pending.push({ name: '', value: item })
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        found.add(key)
        pending.push({ name: key, value: member })
      }
    } else if (name === 'reference_number') {
      // Other numbers are mostly amounts.
      found.add(JSON.stringify(value))
    }
  }
  return found
}
