import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { sha256 } from '../crypto/hash.ts'

/** An ETag that changes with the content. */
export function etagOf(content: string): string {
  return `"${sha256(content).slice(0, 22)}"`
}

/**
 * Whether `If-None-Match` contains an ETag. A proxy may weaken an ETag, and a browser may send several of them (RFC 9110,
 * section 13.1.2).
 */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

/** Whether a client accepts gzip. With the weight 0 it refuses it (RFC 9110, section 12.4.2). */
export function acceptsGzip({ headers }: FastifyRequest): boolean {
  return /(?:^|,)\s*gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))\s*(?:[;,]|$)/i.test(
    String(headers['accept-encoding'] ?? ''),
  )
}

/** Sends a body of which both forms exist in the one that the client accepts. */
export function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, gzipped }: { plain: string | Buffer; gzipped: Buffer },
): FastifyReply {
  const isCompressed = acceptsGzip(request)
  if (isCompressed) reply.header('Content-Encoding', 'gzip')
  return reply.header('Vary', 'Accept-Encoding').send(isCompressed ? gzipped : plain)
}

/** The schema of a 304 response, which is sent without a value: `null` would have the `Content-Length` of its JSON. */
export const NOT_MODIFIED = Type.Unsafe<undefined>({ type: 'null' })

/**
 * Ends a response that cannot be completed, so that no client and no proxy takes it for complete. The connection is reset: the
 * end of the connection alone is the end of a response of HTTP/1.0, which many proxies request.
 */
export function breakOff(response: ServerResponse): void {
  const { socket } = response
  if (socket instanceof Socket) socket.resetAndDestroy()
  else response.destroy()
}

/** The first bytes of compressed data. No JSON begins with them. Brotli has none. */
const BEGINNINGS: readonly (readonly [string, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['deflate', [0x78, 0x01]],
  ['deflate', [0x78, 0x9c]],
  ['deflate', [0x78, 0xda]],
]

/** The compression of a body that should be JSON, by its first bytes; null if it seems to have none. */
export function findCompression(bytes: Uint8Array): string | null {
  const found = BEGINNINGS.find(([, beginning]) =>
    beginning.every((byte, index) => bytes[index] === byte),
  )
  return found?.[0] ?? null
}

/** Makes the routes of an app accept any body or none. The body is not read. */
export function ignoreBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // Also accepts an invalid Content-Type.
  app.addHook('onRequest', async (request) => {
    delete request.raw.headers['content-type']
  })
}

const DISPLAY_NAME = Symbol.for('fastify.display-name')

/**
 * Registers routes under a name. For a function without one, Fastify searches all loaded modules, which would take a
 * third of the start of the server.
 */
export async function registerRoutes(
  app: FastifyInstance,
  routes: FastifyPluginAsync,
): Promise<void> {
  await app.register(Object.assign(routes, { [DISPLAY_NAME]: routes.name || 'routes' }))
}
