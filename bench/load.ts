/**
 * Sends requests over keep-alive connections, one after the other on each, and counts the responses. It runs in a
 * separate process, so that it does not add to the server's processor time.
 */
import { connect } from 'node:net'

export type LoadOrder = {
  port: number
  connections: number
  seconds: number
  method: 'POST' | 'PATCH'
  /** May contain `{number}`, as the bodies do. */
  path: string
  headers: Record<string, string>
  /** Used one after the other. `{number}` is replaced with the number of the request, in eight digits. */
  bodies: readonly string[]
  firstNumber: number
  /** The load also ends after the request with this number. */
  lastNumber?: number
  /** The rate of all connections together; as fast as possible by default. */
  perSecond?: number
}
export type LoadResult = {
  completed: number
  failed: number
  seconds: number
  p50: number
  p99: number
}

process.once('message', (order: LoadOrder) => {
  void run(order).then((result) => {
    process.send?.(result)
    process.disconnect()
  })
})

async function run(order: LoadOrder): Promise<LoadResult> {
  const latencies: number[] = []
  let number = order.firstNumber
  let failed = 0
  let due = performance.now()
  const begun = performance.now()
  const end = begun + order.seconds * 1000
  const lastNumber = order.lastNumber ?? Number.POSITIVE_INFINITY
  const templates = order.bodies.map((body) => createTemplate(order, body))

  function useConnection(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(order.port, '127.0.0.1')
      socket.setNoDelay(true)
      let received = Buffer.alloc(0)
      let sentAt = 0
      const send = () => {
        number += 1
        const template = templates[number % templates.length]
        if (!template) throw new Error('The load has no body')
        const request = Buffer.from(template.bytes)
        const digits = String(number).padStart(PLACEHOLDER.length, '0')
        for (const offset of template.offsets) request.write(digits, offset, 'latin1')
        sentAt = performance.now()
        socket.write(request)
      }
      const sendWhenDue = () => {
        if (order.perSecond === undefined) return send()
        due += 1000 / order.perSecond
        setTimeout(send, Math.max(0, due - performance.now()))
      }
      socket.once('connect', sendWhenDue)
      socket.once('error', reject)
      socket.on('data', (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        if (!isWhole(received)) return
        latencies.push(performance.now() - sentAt)
        // "HTTP/1.1 20…"
        if (received[9] !== 0x32 || received[10] !== 0x30) failed += 1
        received = Buffer.alloc(0)
        if (performance.now() < end && number < lastNumber) sendWhenDue()
        else {
          socket.destroy()
          resolve()
        }
      })
    })
  }

  await Promise.all(Array.from({ length: order.connections }, useConnection))
  latencies.sort((one, other) => one - other)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  return {
    completed: latencies.length,
    failed,
    seconds: (performance.now() - begun) / 1000,
    p50: at(0.5),
    p99: at(0.99),
  }
}

const PLACEHOLDER = '{number}'

/** The bytes of a request, and the position of its number. The length is constant, so it is created once. */
function createTemplate(
  { method, path, headers }: LoadOrder,
  body: string,
): { bytes: Buffer; offsets: number[] } {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  const offsets: number[] = []
  for (let at = bytes.indexOf(PLACEHOLDER); at >= 0; at = bytes.indexOf(PLACEHOLDER, at + 1))
    offsets.push(at)
  return { bytes, offsets }
}

function isWhole(received: Buffer): boolean {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const length = /content-length: (\d+)/i.exec(received.toString('latin1', 0, headEnd))?.[1]
  return received.length >= headEnd + 4 + Number(length ?? 0)
}
