import type { Server } from 'node:http'

/** A connection that the server closes while the hub sends the next request fails that request. */
const KEEP_ALIVE_MS = 600_000

/** Listens on a free port and prints the line that `startServer` waits for. */
export async function listen(server: Server): Promise<void> {
  process.stdout.write(`listens at http://127.0.0.1:${await listenHere(server)}\n`)
}

/** Listens on a free port of this process. @returns the port. */
export async function listenHere(server: Server): Promise<number> {
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address !== 'object') throw new Error('The server does not listen')
  return address.port
}
