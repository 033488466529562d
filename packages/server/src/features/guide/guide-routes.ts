import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { GuideQuery, GuideResponse } from '@recordhub/protocol'
import { DEFAULT_GUIDE_LANGUAGE, type GuideLanguage } from '@recordhub/protocol/constants'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { found } from '../../errors.ts'
import { special } from '../../http/route.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { readGuide, writeGuide } from './fill-guide.ts'

/** Writes the guide for the address of a request, with the modules and fields of a platform unless its id is null. */
type GuideWriter = (
  request: FastifyRequest,
  choice: { platformId: number | null; language: GuideLanguage },
) => Promise<GuideResponse>

/** @returns a function that throws HubError `not_found`. Without HUB_PUBLIC_URL, the guide contains the URL of the request. */
export function createGuideWriter(
  deps: Pick<FeatureDeps, 'platforms' | 'publicUrl' | 'version' | 'config'>,
): GuideWriter {
  const { platforms, publicUrl, version, config } = deps
  const { HUB_PLATFORM_PATH: platformPath, HUB_TUNNEL_HEADER: tunnelHeader } = config
  let sections: string[] | null = null
  return async (request, { platformId, language }) => {
    const platform =
      platformId === null ? null : found('platform', await platforms.readPlatform(platformId))
    const hubUrl = publicUrl || (URL.parse(`${request.protocol}://${request.host}`)?.origin ?? '')
    sections ??= readGuide()
    const hub = { hubUrl, platformPath, tunnelHeader, version }
    return writeGuide(sections, hub, { platform, language })
  }
}

const MARKDOWN = 'text/markdown; charset=utf-8'
const FORM = {
  description:
    'Returns Markdown, or JSON with `format=json`. The examples are in one language (`language`).',
  query: GuideQuery,
  response: {
    200: {
      description: 'The guide',
      content: {
        [MARKDOWN]: { schema: Type.String() },
        'application/json': { schema: GuideResponse },
      },
    },
  },
}

/** The integration guide for owners of platforms. It contains no keys. */
export function guideRoutes(write: GuideWriter) {
  async function send(
    request: FastifyRequest<{ Querystring: Static<typeof GuideQuery> }>,
    reply: FastifyReply,
    platformId: number | null,
  ) {
    const { format, language = DEFAULT_GUIDE_LANGUAGE } = request.query
    const guide = await write(request, { platformId, language })
    if (format === 'json') return guide
    reply.header('Content-Disposition', `inline; filename="${guide.file_name}"`)
    reply.type(MARKDOWN)
    return guide.markdown
  }

  return [
    special('GET /api/v1/guide', {
      ...FORM,
      summary: 'Read the integration guide',
      handle: (request, reply) => send(request, reply, null),
    }),

    special('GET /api/v1/platforms/:id/instructions', {
      ...FORM,
      summary: 'Read the integration guide with the modules and fields of a platform',
      handle: (request, reply) => send(request, reply, request.params.id),
    }),
  ]
}

/** Written by `npm run build`. */
const FOLDER = fileURLToPath(new URL('../../../dist/downloads/', import.meta.url))

/**
 * The packages for owners of platforms: kit, runner and checker. They are public, because `npm install <url>` sends no
 * credentials.
 */
export async function downloadRoutes(app: FastifyInstance): Promise<void> {
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
