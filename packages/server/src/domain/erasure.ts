/** How an erased record is told from others without its reference being kept, and what names it. */
import { isJsonObject, parseExact } from '../lib/exact-json.ts'
import { hmacSha256 } from '../lib/hash.ts'

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

/** The reference that an anonymised record bears: nobody can send it, and nobody learns the old one from it. */
export function pseudonymOf(recordId: number, referenceHash: string): string {
  return `anonymised-${recordId}-${referenceHash.slice(0, 16)}`
}

/**
 * Whether a refused body may be about a record: a text in it, at any depth, is the record's reference, or
 * a number is that was sent as the reference. Not where it says that it is of another module; a module
 * that there is not may be a slip.
 * @param body JSON text.
 * @param otherTypes the record types of the platform's other modules.
 */
export function namesRecord(
  body: string,
  reference: string,
  otherTypes: ReadonlySet<string>,
): boolean {
  const value = parseExact(body)
  const said = isJsonObject(value) ? value['record_type'] : undefined
  if (typeof said === 'string' && otherTypes.has(said)) return false
  return holdsReference(value, reference)
}

function holdsReference(value: unknown, reference: string, key = ''): boolean {
  if (typeof value === 'string') return value === reference
  if (Array.isArray(value)) return value.some((item) => holdsReference(item, reference))
  if (!isJsonObject(value)) {
    // Other numbers are mostly amounts: only what is called a reference is taken for one.
    return key === 'reference_number' && JSON.stringify(value) === reference
  }
  return Object.entries(value).some(
    ([name, member]) => name === reference || holdsReference(member, reference, name),
  )
}
