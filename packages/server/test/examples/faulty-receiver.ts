/** A receiver that disconnects, is busy, accepts or rejects, as the test specifies. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { rounds } from '../helpers/time/tier.ts'

type Received = {
  method: string
  headers: IncomingMessage['headers']
  body: string
  at: number
}

export type FaultyReceiver = {
  address: string
  /** The number of opened connections. */
  connections: () => number
  /** All requests in the order of arrival. */
  received: readonly Received[]
  /** Sets the responses to the next requests; the last one is repeated. */
  setResponses: (...behaviours: Behaviour[]) => void
}

/** A number is the status of an error; `busy` is a 503. */
type Behaviour = 'disconnect' | 'busy' | 'accept' | number

export const BUSY_SECONDS = rounds(1, 2)

export async function startFaultyReceiver(t: Pick<TestContext, 'after'>): Promise<FaultyReceiver> {
  const received: Received[] = []
  let behaviours: Behaviour[] = []
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('')
    const { method = '', headers } = request
    received.push({ method, headers, body, at: performance.now() })
    const behaviour = behaviours.length > 1 ? behaviours.shift() : behaviours[0]
    const respond = (status: number, content: object) => {
      response.writeHead(status, {
        'Content-Type': 'application/json',
        ...(status === 200 ? {} : { 'Retry-After': String(BUSY_SECONDS) }),
      })
      response.end(JSON.stringify({ success: status < 300, message: 'Test response.', ...content }))
    }
    if (behaviour === 'disconnect') return void request.socket.destroy()
    if (behaviour === 'busy') return respond(503, { code: 'busy' })
    if (typeof behaviour === 'number') return respond(behaviour, { code: 'any', request_id: 'x' })
    const outcome = method === 'POST' ? 'created' : 'updated'
    respond(200, { method, record_id: 1, outcome, platform_name: 'hr', module_name: 'Employees' })
  })
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  // A connection remains open, regardless of how long an example pauses.
  server.keepAliveTimeout = 0
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port }: { port: number } = Object(server.address())
  return {
    address: `http://127.0.0.1:${port}`,
    connections: () => connections,
    received,
    setResponses(...next) {
      behaviours = next
    },
  }
}
