/** For `node:http`, and for Express and everything else that takes its listeners. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PlatformHandler } from './handler.ts'

/**
 * Answers requests that are for the hub; others go on to `next`, or get a 404 where there is none:
 * `createServer(toNodeListener(handler))`, `app.use(toNodeListener(handler))`.
 */
export function toNodeListener(
  handler: PlatformHandler,
): (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void {
  return (request, response, next) => {
    serve(handler, request, response, next).catch((error: unknown) => {
      // The answer broke off: whoever reads it must see that it is not whole.
      response.destroy()
      if (!response.headersSent) next?.(error)
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
  const answer = await handler(toWebRequest(request, gone.signal))
  if (answer === null) {
    if (next) return next()
    response.writeHead(404).end()
    return
  }
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) {
    response.end()
    return
  }
  await pipeline(Readable.fromWeb(answer.body), response)
}

/** Express takes the path that it was mounted at out of `url`, and keeps the whole in `originalUrl`. */
function toWebRequest(request: IncomingMessage & { originalUrl?: string }, signal: AbortSignal) {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, [value].flat().join(', '))
  }
  const url = new URL(request.originalUrl ?? request.url ?? '/', 'http://platform')
  return new Request(url, { method: request.method ?? 'GET', headers, signal })
}
