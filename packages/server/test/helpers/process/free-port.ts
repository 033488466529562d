/**
 * Loopback ports that only one test process uses. They are below the ephemeral ports of the system, so that a port
 * stays free while its server restarts.
 */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Makes a server listen on a free port. @returns the port, which is reserved until this process ends. */
export async function listenAtFreePort(server: Server): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768)
    if (!(await reserve(port))) continue
    server.listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
      return port
    } catch {
      // Another program uses it: try the next one.
    }
  }
}

/** Reserves a port for a server in another process, including its restarts. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await listenAtFreePort(server)
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Binding the UDP port reserves the TCP port with the same number, also while its server is starting or restarting.
 * The system releases the UDP port when this process ends, even if it is killed.
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
