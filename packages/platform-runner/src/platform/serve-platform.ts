/** Serves the platform over HTTP, and logs a line for each request. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createPlatformHandler, type PlatformDefinition } from '@recordhub/platform-kit'
import { toNodeListener } from '@recordhub/platform-kit/node'
import type { Log } from '../log.ts'
import type { Settings } from '../settings/settings.ts'
import { SourceUnavailable } from '../sources/source.ts'

type RunningServer = {
  address: string
  /** Accepts no new requests, and lets those in flight finish within a time limit. */
  stop: () => Promise<void>
}

/** The `Retry-After` while the source is unavailable. */
const RETRY_SECONDS = 5
const GRACE_MS = 10_000

/** @throws Error if the port cannot be opened. */
export async function servePlatform(
  definition: PlatformDefinition,
  { listen, platform }: Pick<Settings, 'listen' | 'platform'>,
  log: Log,
): Promise<RunningServer> {
  const server = createServer((request, response) => {
    // One handler per request, so that its error is known.
    let failure: unknown = null
    const handler = createPlatformHandler(definition, {
      pathWord: platform.pathWord,
      onError: (error) => {
        failure = error
      },
    })
    const respond = async (request: Request) => {
      const response = await handler(request)
      const isUnavailable = response?.status === 500 && failure instanceof SourceUnavailable
      return isUnavailable ? toUnavailable() : response
    }
    logResponse(request, response, log, () => failure)
    toNodeListener(Object.assign(respond, handler))(request, response)
  })
  server.listen(listen.port, listen.host)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : listen.port
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host

  return {
    address: `http://${host}:${port}`,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS)
      await closed
      clearTimeout(timer)
    },
  }
}

function toUnavailable(): Response {
  const message = 'The source of the records is unavailable at the moment.'
  return Response.json(
    { success: false, message },
    { status: 503, headers: { 'Retry-After': String(RETRY_SECONDS) } },
  )
}

/** Logs neither the query, which may contain the name of a person, nor the headers, which contain the key. */
function logResponse(
  request: IncomingMessage,
  response: ServerResponse,
  log: Log,
  failureOf: () => unknown,
): void {
  const began = performance.now()
  const path = (request.url ?? '').split('?')[0]?.slice(0, 200)
  response.once('close', () => {
    const ms = Math.round(performance.now() - began)
    const failure = failureOf()
    const message = failure instanceof Error ? failure.message : failure
    const end = failure ? ` ${message}` : response.writableFinished ? '' : ' the hub disconnected'
    log(`${request.method} ${path} ${response.statusCode} ${ms} ms${end}`)
  })
}
