/** A TCP connection between the hub and a platform that becomes slow or stops. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/**
 * `open`: passes everything on. `trickling`: the bodies of responses arrive at one byte per second. `silent`: connections are accepted,
 * and nothing arrives, as after a power failure of the platform.
 */
export type NetworkState = 'open' | 'trickling' | 'silent'

export type FaultyNetwork = {
  /** The URL under which the hub reaches the platform. */
  address: string
  set: (state: NetworkState) => void
}

export async function startFaultyNetwork(
  t: Pick<TestContext, 'after'>,
  platform: { source_base_url: string },
): Promise<FaultyNetwork> {
  const { hostname, port } = new URL(platform.source_base_url)
  const sockets = new Set<Socket>()
  let state: NetworkState = 'open'

  function add(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }

  const server = createServer((client) => {
    add(client)
    if (state === 'silent') return
    const upstream = connect({ host: hostname, port: Number(port) })
    add(upstream)
    client.on('close', () => upstream.destroy())
    client.pipe(upstream)
    if (state === 'trickling') trickle(upstream, client)
    else upstream.pipe(client)
  })
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('The network has no port')
  return {
    address: `http://127.0.0.1:${bound.port}`,
    set: (next) => {
      state = next
    },
  }
}

/** Passes on the headers of a response at once, and then a byte per second. */
function trickle(from: Socket, to: Socket): void {
  from.once('data', (chunk: Buffer) => {
    from.pause()
    const bodyAt = chunk.indexOf('\r\n\r\n') + 4
    to.write(chunk.subarray(0, bodyAt))
    from.unshift(chunk.subarray(bodyAt))
    const timer = setInterval(() => {
      const byte: Buffer | null = from.read(1)
      if (byte) to.write(byte)
    }, 1000)
    to.on('close', () => clearInterval(timer))
  })
}
