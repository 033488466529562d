/** The platform over HTTP, with a line in the log for each request. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createPlatformHandler, type PlatformDefinition } from '@recordhub/platform-kit'
import { toNodeListener } from '@recordhub/platform-kit/node'
import type { Log } from '../log.ts'
import type { Settings } from '../settings/settings.ts'
import { SourceAway } from '../sources/source.ts'

export type RunningServer = {
  address: string
  /** Takes nothing new, and gives what is under way some time to end. */
  stop: () => Promise<void>
}

/** A hub asks again after so long where the source is away. */
const RETRY_SECONDS = 5
const GRACE_MS = 10_000

/** @throws Error where the port cannot be had. */
export async function servePlatform(
  definition: PlatformDefinition,
  { listen, platform }: Pick<Settings, 'listen' | 'platform'>,
  log: Log,
): Promise<RunningServer> {
  const server = createServer((request, response) => {
    // One for each request: it tells what went wrong with this one.
    let failure: unknown = null
    const handler = createPlatformHandler(definition, {
      pathWord: platform.pathWord,
      onError: (error) => {
        failure = error
      },
    })
    const answer = async (asked: Request) => {
      const given = await handler(asked)
      return given?.status === 500 && failure instanceof SourceAway ? toUnavailable() : given
    }
    logAtTheEnd(request, response, log, () => failure)
    toNodeListener(Object.assign(answer, handler))(request, response)
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
  const message = 'The source of the records cannot be reached at the moment.'
  return Response.json(
    { success: false, message },
    { status: 503, headers: { 'Retry-After': String(RETRY_SECONDS) } },
  )
}

/** Without the query, which may name a person, and without headers, which hold the key. */
function logAtTheEnd(
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
    const words = failure instanceof Error ? failure.message : failure
    const end = failure ? ` ${words}` : response.writableFinished ? '' : ' the hub went away'
    log(`${request.method} ${path} ${response.statusCode} ${ms} ms${end}`)
  })
}
