import type { Server } from 'node:http'

/** Listens on a free port and prints the line that `startServer` waits for. */
export async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address !== 'object') throw new Error('The server does not listen')
  process.stdout.write(`listens at http://127.0.0.1:${address.port}\n`)
}
