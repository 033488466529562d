/** The integration guide, and the packages for owners of platforms. */

import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { GuideLanguage } from '@recordhub/protocol/constants'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { createGuideWriter, guideRoutes } from './guide-routes.ts'

export function createGuide(
  deps: Parameters<typeof createGuideWriter>[0] & { storage: Pick<Storage, 'platforms'> },
) {
  const { platforms } = deps.storage
  const write = createGuideWriter(deps)

  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, guideRoutes({ platforms, write }))
    await registerRoutes(app, downloadRoutes())
  }
  return {
    routes,
    /** The guide as Markdown, for the owner of a platform. */
    readGuideOf: async (
      request: FastifyRequest,
      { platformId, language }: { platformId: number; language: GuideLanguage },
    ): Promise<string> =>
      write(request, { platform: await platforms.readPlatform(platformId), language }).markdown,
  }
}

/** Written by `npm run build`. */
const FOLDER = fileURLToPath(new URL('../../../dist/downloads/', import.meta.url))

/**
 * The packages for owners of platforms: kit, runner and checker. They are public, because `npm install <url>` sends no
 * credentials.
 */
function downloadRoutes(): FastifyPluginAsyncTypebox {
  return async (app) => {
    await app.register(fastifyStatic, {
      root: FOLDER,
      prefix: '/downloads/',
      schemaHide: true,
      index: false,
      dotfiles: 'ignore',
      // The plugin that serves the page has already decorated the reply.
      decorateReply: false,
      cacheControl: false,
      setHeaders(reply) {
        // A package may be rebuilt with the same version, so clients must revalidate it.
        reply.header('Cache-Control', 'public, no-cache')
        reply.header('Content-Type', 'application/gzip')
      },
    })
  }
}
