import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export type IdleConnections = {
  /** How many of the connections the hub has closed. */
  closed: () => number
  close: () => void
}

/**
 * Opens connections to a hub whose client then does nothing: it neither sends more, nor closes the connection.
 * @param textOf what each connection sends first, such as half of a request.
 */
export async function openIdleConnections(
  t: Pick<TestContext, 'after'>,
  address: string,
  count: number,
  textOf: (index: number) => string = () => '',
): Promise<IdleConnections> {
  const port = Number(new URL(address).port)
  const sockets: Socket[] = []
  let closed = 0
  const close = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.after(close)
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ host: '127.0.0.1', port })
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      closed += 1
    })
    // `events.once` would reject if the hub resets the connection before this process sees that it was accepted.
    await new Promise<void>((resolve) => {
      socket.once('connect', () => resolve()).once('close', () => resolve())
    })
    socket.write(textOf(index))
  }
  return { closed: () => closed, close }
}
