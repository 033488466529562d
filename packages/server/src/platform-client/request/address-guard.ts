/** Decides which network addresses the hub may connect to. A platform's address is entered by hand or returned by DNS. */
import { BlockList, isIP } from 'node:net'
import { embeddedIpv4 } from './embedded-ipv4.ts'

/** Always blocked: link-local networks and the addresses of cloud metadata services, which return credentials. */
const BLOCKED = blockList([
  ['169.254.0.0', 16],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  ['224.0.0.0', 4],
  ['ff00::', 8],
])

/** Blocked with HUB_SOURCE_NETWORKS=public. */
const PRIVATE = blockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['240.0.0.0', 4],
  ['::', 128],
  ['::1', 128],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fec0::', 10],
])

/** Returns why an IP address is blocked; null for an allowed address and for a text that is not an IP address. */
export function findAddressProblem(address: string, networks: 'any' | 'public'): string | null {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const version = isIP(bare)
  if (version === 0) return null
  // A gateway may forward the connection to the embedded IPv4 address.
  const targets = version === 4 ? [bare] : [bare, ...embeddedIpv4(bare)]
  if (targets.some((one) => isIn(BLOCKED, one))) {
    return 'link-local and cloud metadata addresses are always blocked'
  }
  if (networks === 'public' && targets.some((one) => isIn(PRIVATE, one))) {
    return 'it is a private address, and HUB_SOURCE_NETWORKS allows only public addresses'
  }
  return null
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

function blockList(networks: [string, number][]): BlockList {
  const list = new BlockList()
  for (const [network, bits] of networks) {
    list.addSubnet(network, bits, network.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}
