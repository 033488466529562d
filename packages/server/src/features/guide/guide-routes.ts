import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorResponse, GuideQuery, GuideResponse, type Platform } from '@recordhub/protocol'
import { DEFAULT_GUIDE_LANGUAGE, type GuideLanguage } from '@recordhub/protocol/constants'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HubError } from '../../errors.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import { writeGuide } from './fill-guide.ts'
import { readGuide } from './read-guide.ts'

type GuideFormat = 'markdown' | 'json' | undefined

type WriterDeps = {
  /** HUB_PUBLIC_URL; if it is empty, the guide contains the URL of the request. */
  publicUrl: string
  platformPath: string
  tunnelHeader: string
  version: string
}
export type GuideDeps = {
  platforms: Pick<PlatformStore, 'readPlatform'>
  write: GuideWriter
}

/** Writes the guide for the address of a request, with the modules and fields of a platform if there is one. */
export type GuideWriter = (
  request: FastifyRequest,
  choice: { platform: Platform | null; language: GuideLanguage },
) => GuideResponse

export function createGuideWriter(deps: WriterDeps): GuideWriter {
  const { platformPath, tunnelHeader, version } = deps
  let sections: string[] | null = null
  return (request, choice) => {
    const hubUrl = deps.publicUrl || originOf(request)
    sections ??= readGuide()
    return writeGuide(sections, { hubUrl, platformPath, tunnelHeader, version }, choice)
  }
}

const FORMATS =
  'Returns Markdown, or JSON with `format=json`. The examples are in one language (`language`).'
const MARKDOWN = 'text/markdown; charset=utf-8'
const RESPONSES = {
  200: {
    description: 'The guide',
    content: {
      [MARKDOWN]: { schema: Type.String() },
      'application/json': { schema: GuideResponse },
    },
  },
  '4xx': ErrorResponse,
}

/** The integration guide for owners of platforms. It contains no keys. */
export function guideRoutes({ platforms, write }: GuideDeps): FastifyPluginAsyncTypebox {
  function format(guide: GuideResponse, format: GuideFormat, reply: FastifyReply) {
    if (format === 'json') return guide
    reply.header('Content-Disposition', `inline; filename="${guide.file_name}"`)
    reply.type(MARKDOWN)
    return guide.markdown
  }

  return async (app) => {
    app.get(
      '/api/v1/guide',
      {
        schema: {
          summary: 'Read the integration guide',
          description: FORMATS,
          querystring: GuideQuery,
          response: RESPONSES,
        },
      },
      async (request, reply) => {
        const { format: chosen, language = DEFAULT_GUIDE_LANGUAGE } = request.query
        return format(write(request, { platform: null, language }), chosen, reply)
      },
    )

    app.get(
      '/api/v1/platforms/:id/instructions',
      {
        schema: {
          summary: 'Read the integration guide with the modules and fields of a platform',
          description: FORMATS,
          params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
          querystring: GuideQuery,
          response: RESPONSES,
        },
      },
      async (request, reply) => {
        const platform = await platforms.readPlatform(request.params.id)
        if (!platform) throw new HubError('not_found', { what: 'platform' })
        const { format: chosen, language = DEFAULT_GUIDE_LANGUAGE } = request.query
        return format(write(request, { platform, language }), chosen, reply)
      },
    )
  }
}

function originOf({ protocol, host }: FastifyRequest): string {
  return URL.parse(`${protocol}://${host}`)?.origin ?? ''
}
