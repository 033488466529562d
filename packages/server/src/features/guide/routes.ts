import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer, GuideAnswer, GuideQuery, type Platform } from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HubError } from '../../errors.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import { readGuide } from './read-guide.ts'
import { writeGuide } from './write-guide.ts'

type GuideFormat = 'markdown' | 'json' | undefined

export type GuideParts = {
  platforms: Pick<PlatformStore, 'readPlatform'>
  /** Empty where no setting says it: then the address that a reader uses himself. */
  publicUrl: string
  platformPath: string
  tunnelHeader: string
  version: string
}

const FORMATS = 'Markdown, unless `format=json` asks for the same in JSON.'
const MARKDOWN = 'text/markdown; charset=utf-8'
const ANSWERS = {
  200: {
    description: 'The guide',
    content: {
      [MARKDOWN]: { schema: Type.String() },
      'application/json': { schema: GuideAnswer },
    },
  },
  '4xx': ErrorAnswer,
}

/** What an operator hands to the owner of a platform. No key is ever in it. */
export function guideRoutes(parts: GuideParts): FastifyPluginAsyncTypebox {
  const { platforms, platformPath, tunnelHeader, version } = parts
  const sections = readGuide()

  function answer(request: FastifyRequest, platform: Platform | null): GuideAnswer {
    const hubUrl = parts.publicUrl || originOf(request)
    return writeGuide(sections, { hubUrl, platformPath, tunnelHeader, version }, platform)
  }

  function inFormat(format: GuideFormat, reply: FastifyReply, guide: GuideAnswer) {
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
          summary: 'The integration guide for any platform',
          description: FORMATS,
          querystring: GuideQuery,
          response: ANSWERS,
        },
      },
      async (request, reply) => inFormat(request.query.format, reply, answer(request, null)),
    )

    app.get(
      '/api/v1/platforms/:id/instructions',
      {
        schema: {
          summary: "The integration guide with a platform's own modules and fields",
          description: FORMATS,
          params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
          querystring: GuideQuery,
          response: ANSWERS,
        },
      },
      async (request, reply) => {
        const platform = await platforms.readPlatform(request.params.id)
        if (!platform) throw new HubError('not_found', { what: 'platform' })
        return inFormat(request.query.format, reply, answer(request, platform))
      },
    )
  }
}

function originOf({ protocol, host }: FastifyRequest): string {
  return URL.parse(`${protocol}://${host}`)?.origin ?? ''
}
