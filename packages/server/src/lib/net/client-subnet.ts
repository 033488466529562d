import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The subnet of a connection whose address is not known. */
export const UNKNOWN_ADDRESS = 'unknown'

/**
 * The addresses that one client is certain to have: one IPv4 address, or 2^64 IPv6 addresses. {@link UNKNOWN_ADDRESS}
 * for a connection that closed before its address was read: Fastify's `request.ip` is then undefined, against its type.
 */
export function clientSubnet(address: string | undefined): string {
  if (address === undefined) return UNKNOWN_ADDRESS
  const bare = address.split('%')[0] ?? ''
  if (isIP(bare) === 0) return address
  const parsed = ipaddr.process(bare)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}
