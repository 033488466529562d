/** The versions that simulated platforms send beside `data`, and the sums over them that a hub must keep. */
import { createHash } from 'node:crypto'

/** How a platform chooses versions. Only the first three follow the rules of a version. */
export type VersionStyle = 'none' | 'text' | 'integer' | 'forgets' | 'keeps' | 'unstable'

/**
 * The JSON value of the version of an element, and how a hub must read it; undefined for an element without one.
 * @param edits how often the record has changed. @param responses how often the platform has responded.
 */
export function versionOf(
  style: VersionStyle,
  { edits, responses }: { edits: number; responses: number },
): { json: unknown; version: string | null } | undefined {
  switch (style) {
    case 'none':
      return undefined
    case 'text':
      return { json: `v${edits}`, version: `v${edits}` }
    case 'integer':
      return { json: edits, version: String(edits) }
    case 'forgets':
      if (edits % 3 === 0) return undefined
      return edits % 3 === 1 ? { json: edits + 0.5, version: null } : { json: 'v', version: 'v' }
    case 'keeps': {
      const version = `v${Math.ceil(edits / 2)}`
      return { json: version, version }
    }
    case 'unstable': {
      const version = `v${edits} ${responses}`
      return { json: version, version }
    }
  }
}

export type Sum = { count: number; sum: bigint }

/** The expected sums by bucket: the first three hex digits of the references' md5, as a number. */
export function sumVersions(versions: Iterable<[reference: string, version: string]>) {
  const sums = new Map<number, Sum>()
  for (const [reference, version] of versions) {
    const bucket = Number.parseInt(md5(reference).slice(0, 3), 16)
    const { count, sum } = sums.get(bucket) ?? { count: 0, sum: 0n }
    const added = BigInt(`0x${md5(`${reference}\u001f${version}`).slice(0, 12)}`)
    sums.set(bucket, { count: count + 1, sum: (sum + added) % 2n ** 48n })
  }
  return sums
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}
