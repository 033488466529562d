/** Decides which network addresses the hub may connect to. An operator enters the address of a platform, or DNS returns it. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The class of an address is the first one with a matching network. */
const CLASSES = parseNetworks({
  /** Link-local and multicast networks, and the addresses of cloud metadata services, which return credentials. */
  blocked: [
    '169.254.0.0/16',
    'fe80::/10',
    'fd00:ec2::254/128',
    'fd20:ce::254/128',
    '100.100.100.200/32',
    '168.63.129.16/32',
    '192.0.0.192/32',
    '224.0.0.0/4',
    'ff00::/8',
  ],
  private: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
    '::/128',
    '::1/128',
    '64:ff9b:1::/48',
    '100::/64',
    '2001:db8::/32',
    'fc00::/7',
    'fec0::/10',
  ],
})

/** IPv6 networks whose addresses contain IPv4 addresses. */
const EMBEDDING = parseNetworks({
  suffix: [
    // IPv4-compatible, IPv4-mapped, IPv4-translated (RFC 4291, 2765).
    '::/96',
    '::ffff:0:0/96',
    '::ffff:0:0:0/96',
    // NAT64 (RFC 6052), and its networks for local use (RFC 8215).
    '64:ff9b::/96',
    '64:ff9b:1::/48',
  ],
  // RFC 3056.
  sixToFour: ['2002::/16'],
  // RFC 4380.
  teredo: ['2001::/32'],
})

/** Returns why an IP address is blocked; null for an allowed address and for a text that is not an IP address. */
export function findAddressProblem(address: string, networks: 'any' | 'public'): string | null {
  const [bare = ''] = address.replace(/^\[|\]$/g, '').split('%')
  if (isIP(bare) === 0) return null
  const parsed = ipaddr.parse(bare)
  // A gateway may forward the connection to the embedded IPv4 address.
  const targets = [parsed, ...embeddedIpv4(parsed)]
  const classes = targets.map((target) => ipaddr.subnetMatch(target, CLASSES, 'public'))
  if (classes.includes('blocked')) {
    return 'link-local and cloud metadata addresses are always blocked'
  }
  if (networks === 'public' && classes.includes('private')) {
    return 'it is a private address, and HUB_SOURCE_NETWORKS allows only public addresses'
  }
  return null
}

/** The IPv4 addresses that an address contains. */
function embeddedIpv4(address: Address): ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4) return []
  const bytes = address.toByteArray()
  const ipv4At = (index: number) => new ipaddr.IPv4(bytes.slice(index, index + 4))
  const [, , , , fifth, sixth] = address.parts
  // ISATAP (RFC 5214).
  const isatap = (fifth === 0 || fifth === 0x200) && sixth === 0x5efe ? [ipv4At(12)] : []
  switch (ipaddr.subnetMatch(address, EMBEDDING, 'none')) {
    case 'suffix':
      return [ipv4At(12)]
    case 'sixToFour':
      return [ipv4At(2), ...isatap]
    case 'teredo':
      // The server, and the client with inverted bits.
      return [ipv4At(4), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff)), ...isatap]
    default:
      return isatap
  }
}

function parseNetworks(networks: Record<string, string[]>): Record<string, [Address, number][]> {
  const parsed = Object.entries(networks).map(
    ([name, list]) => [name, list.map((network) => ipaddr.parseCIDR(network))] as const,
  )
  return Object.fromEntries(parsed)
}
