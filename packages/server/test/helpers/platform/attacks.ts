/** A server that sends arbitrary bytes in response to any request. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export type RawServer = {
  address: string
  port: number
  /** Everything received on all connections, as text. */
  received: () => string
  connections: () => number
  /** The number of bytes sent to the callers. */
  sentBytes: () => number
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Responds to a complete request on one connection. */
export type Script = (socket: Socket) => void | Promise<void>

export async function startRawServer(script: Script): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const received: string[] = []
  let count = 0
  const server = createServer((socket) => {
    count += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    let request = ''
    socket.on('data', (bytes) => {
      received.push(bytes.toString('latin1'))
      request += bytes.toString('latin1')
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
    connections: () => count,
    sentBytes: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Sends these bytes and leaves the connection open. */
export function bytes(text: string | Buffer): Script {
  return (socket) => void socket.write(text)
}

/** Sends a prefix, and then the same bytes repeatedly until the client disconnects. */
export function forEver(beginning: string, again: string | Buffer, everyMs = 0): Script {
  return async (socket) => {
    socket.write(beginning)
    while (!socket.destroyed) {
      if (!socket.write(again)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
      await pause(everyMs)
    }
  }
}
