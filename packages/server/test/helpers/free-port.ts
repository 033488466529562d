/** Ports of the loopback below those that systems give to outgoing connections: such a one stays free at a restart. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Has a server listen at a port that nobody has. @returns the port. */
export async function listenAtFreePort(server: Server): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768)
    server.listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
      return port
    } catch {
      // Taken: another.
    }
  }
}

export async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await listenAtFreePort(server)
  server.close()
  await once(server, 'close')
  return port
}
