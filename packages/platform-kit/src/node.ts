/** For `node:http`, and for Express and everything else that takes its listeners. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PlatformHandler } from './handler.ts'

export type NodeListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/**
 * Answers requests that are for the hub; others go on to `next`, or get a 404 where there is none:
 * `createServer(toNodeListener(handler))`, `app.use(toNodeListener(handler))`.
 */
export function toNodeListener(handler: PlatformHandler): NodeListener {
  return (request, response, next) => {
    serve(handler, request, response, next).catch((error: unknown) => {
      // Whoever reads what broke off must see that it is not whole.
      if (response.headersSent) response.destroy()
      else if (next) next(error)
      else response.writeHead(500).end()
    })
  }
}

async function serve(
  handler: PlatformHandler,
  request: IncomingMessage,
  response: ServerResponse,
  next: ((error?: unknown) => void) | undefined,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const asked = toWebRequest(request, gone.signal)
  const answer = asked && (await handler(asked))
  if (!answer) {
    if (next) next()
    else response.writeHead(404).end()
    return
  }
  if (response.destroyed) return answer.body?.cancel()
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body) await send(answer.body, response)
  response.end()
}

/** Null for what is no request of the Web's: a strange target, or TRACE. */
function toWebRequest({ url = '', method = 'GET', headers }: IncomingMessage, signal: AbortSignal) {
  // Put after a host as text: what begins with two slashes must not become one.
  if (!url.startsWith('/')) return null
  const init = { method, signal, headers: new Headers() }
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) init.headers.set(name, [value].flat().join(', '))
  }
  try {
    return new Request(`http://platform${url}`, init)
  } catch {
    return null
  }
}

/** Reads no faster than is taken, and no further than somebody is there to take it. */
async function send(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader()
  response.once('close', () => {
    reader.cancel().catch(() => undefined)
  })
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    if (!response.write(value)) await untilDrained(response)
  }
}

function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const end = () => {
      response.off('drain', end)
      response.off('close', end)
      resolve()
    }
    response.on('drain', end)
    response.on('close', end)
  })
}
