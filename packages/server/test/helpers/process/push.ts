/** Pushes over separate connections, with the result of each push. */
import { Agent, type ClientRequest, request } from 'node:http'

export type Push = {
  method: 'POST' | 'PATCH'
  record_type: string
  reference_number: string
  data: Record<string, unknown>
}

export type PushResult =
  | { kind: 'response'; status: number; retryAfter: string | undefined; text: string }
  /** The connection was closed within the response. */
  | { kind: 'truncated' }
  | { kind: 'no_response'; code: string }

export type Pusher = { push: (push: Push) => Promise<PushResult>; close: () => void }

/** The connection of one platform, which stays open and carries one push at a time. */
export function createPusher(hub: { address: string; hubApiKey: string }): Pusher {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    push: (push) => send(agent, hub, push),
    close: () => agent.destroy(),
  }
}

/** Pushes one record on its own connection. */
export async function pushOnce(
  hub: { address: string; hubApiKey: string },
  push: Push,
): Promise<PushResult> {
  const pusher = createPusher(hub)
  try {
    return await pusher.push(push)
  } finally {
    pusher.close()
  }
}

export function fullNameOf({ reference_number }: Push): string {
  return `Name of ${reference_number}`
}

function send(
  agent: Agent,
  hub: { address: string; hubApiKey: string },
  push: Push,
): Promise<PushResult> {
  const { outgoing, body, result } = open(agent, hub, push)
  outgoing.end(body)
  return result
}

/** A push of which half of the body is sent. */
export type BegunPush = { push: Push; result: Promise<PushResult>; finish: () => void }

/** Begins a push on its own connection. `finish` sends the rest. */
export function beginPush(hub: { address: string; hubApiKey: string }, push: Push): BegunPush {
  const { outgoing, body, result } = open(false, hub, push)
  const half = Math.floor(body.length / 2)
  outgoing.write(body.slice(0, half))
  return { push, result, finish: () => void outgoing.end(body.slice(half)) }
}

function open(
  agent: Agent | false,
  { address, hubApiKey }: { address: string; hubApiKey: string },
  push: Push,
): { outgoing: ClientRequest; body: string; result: Promise<PushResult> } {
  const { method, record_type, reference_number, data } = push
  const names = method === 'POST' ? { module_name: 'Any', full_name: fullNameOf(push) } : {}
  const body = JSON.stringify({ ...names, record_type, reference_number, data })
  const outgoing = request(`${address}/api/webhook/receive`, {
    agent,
    method,
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-API-KEY': hubApiKey,
    },
  })
  const result = new Promise<PushResult>((resolve) => {
    outgoing.on('error', (error) => resolve({ kind: 'no_response', code: codeOf(error) }))
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', () => resolve({ kind: 'truncated' }))
      incoming.on('end', () => {
        const { statusCode: status = 0, headers } = incoming
        const text = Buffer.concat(chunks).toString()
        resolve({ kind: 'response', status, retryAfter: headers['retry-after'], text })
      })
    })
  })
  return { outgoing, body, result }
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message
}
