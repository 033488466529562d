import { gzipSync } from 'node:zlib'
import fastify from 'fastify'
import { memoizeAsync } from '../lib/concurrency/memoize-async.ts'

export type ReferenceScript = { plain: Buffer; packed: Buffer }

/**
 * The script of the API reference: read once, when somebody reads the reference, since it is large. Both
 * forms are kept: to unpack it for each request let a few hundred of them, of anyone, stop the hub.
 */
export const readReferenceScript: () => Promise<ReferenceScript> = memoizeAsync(loadScript)

/** Scalar's package hands it out by its route alone. */
async function loadScript(): Promise<ReferenceScript> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  await using inner = fastify()
  await inner.register(scalar, {
    routePrefix: '/docs',
    configuration: { url: '/api/openapi.json' },
  })
  const { rawPayload: plain } = await inner.inject('/docs/js/scalar.js')
  return { plain, packed: gzipSync(plain) }
}
