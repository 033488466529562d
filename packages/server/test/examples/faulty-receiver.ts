/** A hub receiver that hangs up, is busy, accepts or rejects, as the test decides. */
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

export type MoodyReceiver = {
  address: string
  /** How many connections were opened. */
  connections: () => number
  /** All requests in the order of arrival. */
  received: readonly Received[]
  /** Sets the responses to the next requests; the last one is repeated. */
  answerWith: (...moods: Mood[]) => void
}

/** A number is the status of an error; `busy` is a 503. */
type Mood = 'hang up' | 'busy' | 'take' | number

export const BUSY_SECONDS = rounds(1, 2)

export async function startMoodyReceiver(t: Pick<TestContext, 'after'>): Promise<MoodyReceiver> {
  const received: Received[] = []
  let moods: Mood[] = []
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('')
    const { method = '', headers } = request
    received.push({ method, headers, body, at: performance.now() })
    const mood = moods.length > 1 ? moods.shift() : moods[0]
    const answer = (status: number, content: object) => {
      response.writeHead(status, {
        'Content-Type': 'application/json',
        ...(status === 200 ? {} : { 'Retry-After': String(BUSY_SECONDS) }),
      })
      response.end(JSON.stringify({ success: status < 300, message: 'So.', ...content }))
    }
    if (mood === 'hang up') return void request.socket.destroy()
    if (mood === 'busy') return answer(503, { code: 'busy' })
    if (typeof mood === 'number') return answer(mood, { code: 'any', request_id: 'x' })
    const outcome = method === 'POST' ? 'created' : 'updated'
    answer(200, { method, record_id: 1, outcome, platform_name: 'hr', module_name: 'Employees' })
  })
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  // A connection stays open however long an example pauses.
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
    answerWith(...next) {
      moods = next
    },
  }
}
