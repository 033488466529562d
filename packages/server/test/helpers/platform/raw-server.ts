/** A TCP server that responds to every request with arbitrary bytes. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
export type RawServer = {
  address: string
  port: number
  /** Everything received on all connections, as text. */
  received: () => string
  connections: () => number
  /** The number of bytes sent on all connections. */
  sentBytes: () => number
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Responds to a complete request on a connection. */
export type RawResponder = (socket: Socket) => void | Promise<void>

export async function startRawServer(script: RawResponder): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const received: string[] = []
  let connectionCount = 0
  const server = createServer((socket) => {
    connectionCount += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    let request = ''
    socket.on('data', (sendBytes) => {
      received.push(sendBytes.toString('latin1'))
      request += sendBytes.toString('latin1')
      if (!request.includes('\r\n\r\n')) return
      request = ''
      void script(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  return {
    address: `http://127.0.0.1:${port}`,
    port,
    received: () => received.join(''),
    connections: () => connectionCount,
    sentBytes: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Sends these bytes and leaves the connection open. */
export function bytes(text: string | Buffer): RawResponder {
  return (socket) => void socket.write(text)
}

/** Sends a prefix, and then the same chunk at intervals until the client disconnects. */
export function repeatForever(
  prefix: string,
  chunk: string | Buffer,
  intervalMs = 0,
): RawResponder {
  return async (socket) => {
    socket.write(prefix)
    while (!socket.destroyed) {
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
      await pause(intervalMs)
    }
  }
}
