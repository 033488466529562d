/**
 * Ports of the loopback that no two test processes are given. They are below those that systems give to outgoing
 * connections, so that one stays free while its server restarts.
 */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Has a server listen at a port that nobody has. @returns the port, which belongs to this process until its end. */
export async function listenAtFreePort(server: Server): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768)
    if (!(await reserve(port))) continue
    server.listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
      return port
    } catch {
      // A program that is not a test of ours has it: another.
    }
  }
}

/** A port at which a server of another process can listen, now and after each restart. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await listenAtFreePort(server)
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Whoever has the UDP port may use the TCP port of the same number, which nobody listens at while its server is
 * about to start or restarts. The system gives it back when this process ends, however that happens.
 */
async function reserve(port: number): Promise<boolean> {
  const lock = createSocket('udp4').unref()
  try {
    lock.bind({ port, address: '127.0.0.1', exclusive: true })
    await once(lock, 'listening')
    return true
  } catch {
    lock.close()
    return false
  }
}
