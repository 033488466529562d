/** A TCP proxy in front of PostgreSQL, which can disturb the connections. */
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

export type PostgresProxy = {
  /** The URL of the database through the proxy. */
  url: string
  port: number
  /** Closes all connections. New ones lead to this port of the machine; null closes them at once. */
  setTarget: (port: number | null) => void
  /** Keeps the existing connections open, but forwards nothing on them. New connections work. */
  freeze: () => void
  /** What clients have sent on frozen connections, as text. */
  readFrozen: () => string
  /** Closes the frozen connections. */
  closeFrozen: () => void
  /** Resets the connections of all clients. The server still receives what they have sent. */
  resetAll: () => void
  close: () => void
}

type Pair = { inbound: Socket; outbound: Socket }

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const url = new URL(databaseUrl)
  let target: number | null = Number(url.port)
  const pairs = new Set<Pair>()
  const frozen = new Set<Pair>()
  let frozenText = ''
  const destroy = ({ inbound, outbound }: Pair) => {
    inbound.destroy()
    outbound.destroy()
  }
  const proxy = createServer((inbound) => {
    if (target === null) return void inbound.destroy()
    const outbound = createConnection(target, '127.0.0.1')
    const pair = { inbound, outbound }
    pairs.add(pair)
    for (const [one, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => {
        other.destroy()
        pairs.delete(pair)
      })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const closeAll = () => {
    for (const pair of pairs) destroy(pair)
  }
  return {
    url: url.href,
    port,
    setTarget(next) {
      target = next
      closeAll()
    },
    freeze() {
      for (const pair of pairs) {
        pair.outbound.unpipe().pause()
        pair.inbound.unpipe().resume()
        pair.inbound.on('data', (data) => {
          frozenText += data.toString('latin1')
        })
        frozen.add(pair)
      }
    },
    readFrozen: () => frozenText,
    closeFrozen: () => {
      for (const pair of frozen) destroy(pair)
    },
    resetAll() {
      for (const { inbound, outbound } of pairs) {
        outbound.unpipe()
        inbound.unpipe().resetAndDestroy()
      }
    },
    close() {
      closeAll()
      proxy.close()
    },
  }
}
