/** IPv6 addresses that contain an IPv4 address. */

/** Prefixes, in groups of 16 bits, that are followed by an IPv4 address in the last 32 bits. */
const PREFIXES: readonly (readonly number[])[] = [
  // IPv4-compatible, IPv4-mapped, IPv4-translated (RFC 4291, 2765).
  [0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0xffff, 0],
  // NAT64 (RFC 6052), and its networks for local use (RFC 8215).
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0x64, 0xff9b, 1],
]

/** Returns the IPv4 addresses that an IPv6 address contains. */
export function embeddedIpv4(address: string): string[] {
  const groups = groupsOf(address)
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = groups
  const [seventh = 0, eighth = 0] = groups.slice(6)
  const found: string[] = []
  const isBehind = PREFIXES.some((prefix) =>
    prefix.every((group, index) => group === groups[index]),
  )
  // ISATAP (RFC 5214).
  const isInterface = (fifth === 0 || fifth === 0x200) && sixth === 0x5efe
  if (isBehind || isInterface) found.push(dotted(seventh, eighth))
  // 6to4 (RFC 3056).
  if (first === 0x2002) found.push(dotted(second, third))
  // Teredo: the server, and the client with inverted bits (RFC 4380).
  if (first === 0x2001 && second === 0) {
    found.push(dotted(third, fourth), dotted(seventh ^ 0xffff, eighth ^ 0xffff))
  }
  return found
}

/** The eight groups of an IPv6 address in any notation. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const numbers = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  if (tail === undefined) return numbers(head)
  const [left, right] = [numbers(head), numbers(tail)]
  return [...left, ...Array(8 - left.length - right.length).fill(0), ...right]
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}
