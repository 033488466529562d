/**
 * Sends requests over keep-alive connections, one after the other on each, and counts the answers. In a
 * process of its own, so that the server's processor time is the server's.
 */
import { connect } from 'node:net'

export type LoadOrder = {
  port: number
  connections: number
  seconds: number
  path: string
  headers: Record<string, string>
  /** Each `{number}` stands for the number of the request, in eight digits. */
  body: string
  firstNumber: number
}
export type LoadResult = {
  answered: number
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
  const begun = performance.now()
  const end = begun + order.seconds * 1000
  const template = createTemplate(order)

  function useConnection(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(order.port, '127.0.0.1')
      socket.setNoDelay(true)
      const request = Buffer.from(template.bytes)
      let answer = Buffer.alloc(0)
      let sentAt = 0
      const send = () => {
        number += 1
        const digits = String(number).padStart(PLACE.length, '0')
        for (const place of template.places) request.write(digits, place, 'latin1')
        sentAt = performance.now()
        socket.write(request)
      }
      socket.once('connect', send)
      socket.once('error', reject)
      socket.on('data', (chunk) => {
        answer = answer.length === 0 ? chunk : Buffer.concat([answer, chunk])
        if (!isWhole(answer)) return
        latencies.push(performance.now() - sentAt)
        // "HTTP/1.1 20…"
        if (answer[9] !== 0x32 || answer[10] !== 0x30) failed += 1
        answer = Buffer.alloc(0)
        if (performance.now() < end) send()
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
    answered: latencies.length,
    failed,
    seconds: (performance.now() - begun) / 1000,
    p50: at(0.5),
    p99: at(0.99),
  }
}

const PLACE = '{number}'

/** A request's bytes, and where its number goes. Its length is always the same, so it is made once. */
function createTemplate({ path, headers, body }: LoadOrder): { bytes: Buffer; places: number[] } {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  const places: number[] = []
  for (let at = bytes.indexOf(PLACE); at >= 0; at = bytes.indexOf(PLACE, at + 1)) places.push(at)
  return { bytes, places }
}

function isWhole(answer: Buffer): boolean {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const length = /content-length: (\d+)/i.exec(answer.toString('latin1', 0, headEnd))?.[1]
  return answer.length >= headEnd + 4 + Number(length ?? 0)
}
