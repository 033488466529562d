import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

/** Written by `npm run build`. */
const FOLDER = fileURLToPath(new URL('../../../dist/downloads/', import.meta.url))

/**
 * The packages for owners of platforms: the kit, the runner and the check. Nobody signs in for them, since `npm install`
 * takes the address of a package and no credentials.
 */
export function downloadRoutes(): FastifyPluginAsyncTypebox {
  return async (app) => {
    await app.register(fastifyStatic, {
      root: FOLDER,
      prefix: '/downloads/',
      schemaHide: true,
      index: false,
      dotfiles: 'ignore',
      // Another plugin decorates the response to serve the page.
      decorateReply: false,
      cacheControl: false,
      setHeaders(reply) {
        // A package may be built again with the same version: clients ask whether it has changed.
        reply.header('Cache-Control', 'public, no-cache')
        reply.header('Content-Type', 'application/gzip')
      },
    })
  }
}
