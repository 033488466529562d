import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'

/** Opens a connection, sends half of a push, and waits until the hub has started to read it. */
export async function openIncompletePush(
  t: Pick<TestContext, 'after'>,
  address: string,
  hubApiKey: string,
): Promise<void> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  const head = [
    'POST /api/webhook/receive HTTP/1.1',
    'Host: hub',
    'Content-Type: application/json',
    `X-API-KEY: ${hubApiKey}`,
    'Content-Length: 1000',
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n{"record_type"`)
  // The 100 Continue response shows that the hub has started to read the request.
  await once(socket, 'data')
}
