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
  const parsed = parse(address)
  if (parsed === null) return address
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : prefixOf(parsed, 64)
}

/** The IPv6 /48 that one customer usually gets (RFC 6177), with 65,536 subnets; null for any other address. */
export function clientSite(address: string | undefined): string | null {
  const parsed = parse(address ?? '')
  return parsed instanceof ipaddr.IPv6 ? prefixOf(parsed, 48) : null
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const bare = address.split('%')[0] ?? ''
  return isIP(bare) === 0 ? null : ipaddr.process(bare)
}

function prefixOf({ parts }: ipaddr.IPv6, bits: 48 | 64): string {
  const network = parts.slice(0, bits / 16).map((group) => group.toString(16))
  return `${network.join(':')}::/${bits}`
}
