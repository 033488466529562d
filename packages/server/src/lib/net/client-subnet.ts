import { isIPv6 } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The group of a connection whose address is not known. */
export const UNKNOWN_ADDRESS = 'unknown'

/**
 * The addresses that one client is certain to have: one of IPv4, 2^64 of IPv6. {@link UNKNOWN_ADDRESS} for a connection that
 * closed before its address was read: Fastify's `request.ip` is then undefined, against its type.
 */
export function clientSubnet(address: string | undefined): string {
  if (address === undefined) return UNKNOWN_ADDRESS
  const mapped = MAPPED.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const bare = address.split('%')[0] ?? ''
  if (!isIPv6(bare)) return address
  const [head = '', tail] = bare.toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  const gap = tail === undefined ? 0 : 8 - first.length - last.length
  const groups = [...first, ...Array.from({ length: gap }, () => '0'), ...last]
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
