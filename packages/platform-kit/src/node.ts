/** The adapter for `node:http`, Express, and other servers that accept its listeners. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PlatformHandler } from './handler.ts'

export type NodeListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/**
 * Serves the requests of the hub. Other requests are passed to `next`, or get a 404 without it:
 * `createServer(toNodeListener(handler))`, `app.use(toNodeListener(handler))`.
 */
export function toNodeListener(handler: PlatformHandler): NodeListener {
  return (request, response, next) => {
    serve(handler, request, response, next).catch((error: unknown) => {
      // The hub must notice that the response is incomplete.
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
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  const webRequest = toWebRequest(request, closed.signal)
  const webResponse = webRequest && (await handler(webRequest))
  if (!webResponse) {
    if (next) next()
    else response.writeHead(404).end()
    return
  }
  if (response.destroyed) return webResponse.body?.cancel()
  response.writeHead(webResponse.status, Object.fromEntries(webResponse.headers))
  if (webResponse.body) await send(webResponse.body, response)
  response.end()
}

/** Returns null for requests that the Web standard cannot represent, such as TRACE or an absolute target. */
function toWebRequest({ url = '', method = 'GET', headers }: IncomingMessage, signal: AbortSignal) {
  // The URL is appended to a host as text, so a URL that starts with two slashes does not change the host.
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

/** Reads only as fast as the client does, and stops when the client disconnects. */
async function send(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader()
  response.once('close', () => {
    reader.cancel().catch(() => undefined)
  })
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    if (!response.write(value)) await waitForDrain(response)
  }
}

function waitForDrain(response: ServerResponse): Promise<void> {
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
