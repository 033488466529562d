import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export type IdleConnections = {
  /** How many of the connections the hub has closed. */
  closed: () => number
  close: () => void
}

/**
 * Opens connections to a hub whose client then does nothing: it neither sends more, nor closes the connection.
 * @param first what each connection sends first, such as half of a request.
 */
export async function openIdleConnections(
  t: Pick<TestContext, 'after'>,
  address: string,
  count: number,
  first: string | ((index: number) => string) = '',
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
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    const text = typeof first === 'string' ? first : first(index)
    if (text !== '') socket.write(text)
  }
  return { closed: () => closed, close }
}
