/** A DNS server on loopback that resolves, rejects or ignores names, and a mount namespace whose processes use it. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { noMounts } from './mounts.ts'

/** `unknown`: NXDOMAIN; `failing`: SERVFAIL; `silent`: no response. */
export type DnsBehaviour = 'resolves' | 'unknown' | 'failing' | 'silent'

export type DnsServer = {
  /** Sets the behaviour of a name; a name without one resolves to 127.0.0.1. */
  set: (name: string, behaviour: DnsBehaviour) => void
  /** The option `shell` of a command in a sandbox, which then uses this server. */
  shell: string
}

/** Why the tests that need the server cannot run on this machine; false if they can. */
export const noDnsServer: string | false =
  noMounts || (process.getuid?.() === 0 ? false : 'only root may use port 53')

const RESPONSE_CODES = { resolves: 0, failing: 2, unknown: 3 } as const
const TYPE_A = 1

export async function startDnsServer(t: Pick<TestContext, 'after'>): Promise<DnsServer> {
  const behaviours = new Map<string, DnsBehaviour>()
  const socket = createSocket('udp4')
  // Tests of other processes use other addresses.
  const address = `127.53.${(process.pid >> 8) & 255}.${process.pid & 255}`
  socket.on('message', (query, { port, address: client }) => {
    const { name, type, end } = readQuestion(query)
    const behaviour = behaviours.get(name) ?? 'resolves'
    if (behaviour === 'silent') return
    const hasAddress = behaviour === 'resolves' && type === TYPE_A
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    // A response with recursion, and its code.
    header.writeUInt16BE(0x8180 | RESPONSE_CODES[behaviour], 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(hasAddress ? 1 : 0, 6)
    // A pointer to the name of the question, type A, class IN, 0 s, 4 bytes.
    const resourceRecord = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]
    const parts = [header, query.subarray(12, end), Buffer.from(hasAddress ? resourceRecord : [])]
    socket.send(Buffer.concat(parts), port, client)
  })
  socket.bind(53, address)
  await once(socket, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-dns-'))
  t.after(() => {
    socket.close()
    rmSync(folder, { recursive: true })
  })
  const file = join(folder, 'resolv.conf')
  // A look-up of a silent name takes as long as with three servers and the default options.
  writeFileSync(file, `nameserver ${address}\noptions timeout:10 attempts:3\n`)
  const mount = `mount --bind ${file} /etc/resolv.conf; exec "$0" "$@"`
  return {
    set: (name, behaviour) => void behaviours.set(name, behaviour),
    // The shell in the namespace executes the command.
    shell: `exec unshare --mount bash --norc -c '${mount}' "$0" "$@"`,
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}
