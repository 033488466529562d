/** The digests that simulated platforms serve: of what they list, or of something else. */
import { createHash } from 'node:crypto'
import type { Choices } from './scheduler.ts'
import type { VersionStyle } from './versions.ts'

/**
 * How a platform serves digests:
 * - `replica`: some requests are served by a database that lags behind.
 * - `no_prefix`: it ignores the parameter `prefix` of its list.
 * - `other_text`: it does not hash the version that it lists. `other_count`: some sums have a wrong number of records.
 * - `broken`: its digests cannot be used.
 */
type DigestStyle =
  | 'none'
  | 'honest'
  | 'replica'
  | 'no_prefix'
  | 'other_text'
  | 'other_count'
  | 'broken'

export type Offer = { versions: VersionStyle; digests: DigestStyle }

const CARELESS = [
  ...(['nothing', 'nothing', 'nothing', 'nothing', 'nothing'] as const),
  ...(['versions', 'versions', 'digests', 'digests', 'both'] as const),
]
const CARELESS_VERSIONS: readonly VersionStyle[] = [
  ...(['none', 'forgets', 'keeps', 'keeps', 'unstable'] as const),
]
const CARELESS_DIGESTS: readonly DigestStyle[] = [
  ...(['none', 'no_prefix', 'other_text', 'other_count', 'broken'] as const),
]
const CAREFUL_VERSIONS: readonly VersionStyle[] = ['text', 'integer']
const CAREFUL_DIGESTS: readonly DigestStyle[] = ['honest', 'honest', 'replica']

/** What a platform that knows neither versions nor digests offers. */
export const NO_OFFER: Offer = { versions: 'none', digests: 'none' }

/** About half of the platforms follow the rules. Of the others, most break only those of versions or those of digests. */
export function chooseOffer(choices: Choices): Offer {
  const careless = choices.pick(CARELESS)
  return {
    versions: choices.pick(
      careless === 'versions' || careless === 'both' ? CARELESS_VERSIONS : CAREFUL_VERSIONS,
    ),
    digests: choices.pick(
      careless === 'digests' || careless === 'both' ? CARELESS_DIGESTS : CAREFUL_DIGESTS,
    ),
  }
}

/** Whether equal digests mean equal records, so that pulls by digest alone collect everything. */
export function isCareful(offer: Offer): boolean {
  return offer.versions === 'none' || offer.digests === 'none' || offersDigests(offer)
}

/** Whether a platform has versions and digests that follow the rules. */
export function offersDigests({ versions, digests }: Offer): boolean {
  return CAREFUL_VERSIONS.includes(versions) && CAREFUL_DIGESTS.includes(digests)
}

/** The version that a platform lists of each record; null for a record without one. */
export type Versions = ReadonlyMap<string, string | null>

export type DigestRequest = { digits: number; prefixes: readonly string[] | null }

/** A digest that a platform has sent, and the versions that it listed at that time. */
export type ServedDigest = DigestRequest & { versions: Versions }

/** The text of a digest; null if the platform has none. */
export function writeDigest(
  style: DigestStyle,
  { digits, prefixes, versions }: ServedDigest,
  envelope: { platform_name: string; record_type: string },
): string | null {
  const hasEvery = [...versions.values()].every((version) => version !== null)
  // A careful platform has no digest as long as a record has no version.
  if (style === 'none' || (CAREFUL_DIGESTS.includes(style) && !hasEvery)) return null
  const buckets = new Map<string, { count: number; sum: bigint }>()
  for (const [reference, version] of selectBuckets(versions, prefixes)) {
    const prefix = md5(reference).slice(0, digits)
    const { count, sum } = buckets.get(prefix) ?? { count: 0, sum: 0n }
    const hashed = style === 'other_text' ? `${version}.0` : (version ?? '')
    const added = BigInt(`0x${md5(`${reference}\u001f${hashed}`).slice(0, 12)}`)
    buckets.set(prefix, { count: count + 1, sum: (sum + added) % 2n ** 48n })
  }
  const triples = [...buckets].map(([prefix, { count, sum }], index) => {
    const wrong = style === 'other_count' && index % 5 === 0 ? 1 : 0
    const isText = style === 'honest' && index % 2 === 0
    return [prefix, count + wrong, isText ? String(sum) : Number(sum)]
  })
  const shown = style === 'broken' ? triples.map(([prefix, count]) => [prefix, count]) : triples
  return JSON.stringify({ success: true, ...envelope, digits, buckets: shown })
}

/** The records of some buckets; all without prefixes. */
export function selectBuckets<Value>(
  records: Iterable<[string, Value]>,
  prefixes: readonly string[] | null,
): [string, Value][] {
  return [...records].filter(([reference]) => isInBuckets(reference, prefixes))
}

export function isInBuckets(reference: string, prefixes: readonly string[] | null): boolean {
  if (prefixes === null) return true
  const hashed = md5(reference)
  return prefixes.some((prefix) => hashed.startsWith(prefix))
}

/** The versions in the digests of one comparison: those of finer buckets replace those of the whole module. */
export function combineDigests(digests: readonly ServedDigest[]): Map<string, string | null> {
  let combined: [string, string | null][] = []
  for (const { prefixes, versions } of digests) {
    const others = combined.filter(([reference]) => !isInBuckets(reference, prefixes))
    combined = [...others, ...selectBuckets(versions, prefixes)]
  }
  return new Map(combined)
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}
