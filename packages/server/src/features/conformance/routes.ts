import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ConformanceAnswer,
  type ConformanceReport,
  ErrorAnswer,
  ProbeRequest,
} from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { reportHtml } from '../../domain/conformance/report-html.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import {
  abortOnClose,
  jsonOrLines,
  LINES,
  sendLines,
  toLines,
  wantsLines,
} from '../platforms/ndjson-stream.ts'
import { readTarget } from '../platforms/read-target.ts'
import { type CheckParts, type CheckRequest, checkPlatform } from './check-platform.ts'

/** Somebody waits, and the hub has other work; the command line reads more. */
const LIMITS = { maxRecords: 200_000, maxSeconds: 300 }

const ABOUT =
  `Reads ping, manifest, every module and the search of a platform as the hub would, and judges them. At most ` +
  `${LIMITS.maxRecords} records of a module and ${LIMITS.maxSeconds} s; nothing is stored. ${LINES}`

/** Whole platforms judged, before and after they are registered. */
export function conformanceRoutes(
  parts: CheckParts & {
    platforms: Pick<PlatformStore, 'readSource' | 'readPlatform' | 'recordRecovery'>
    secrets: SecretBox
  },
): FastifyPluginAsyncTypebox {
  /** @param checked `platform_id`: null where the platform is not registered. */
  async function* check(
    checked: Pick<CheckRequest, 'target' | 'expected'> & { platform_id: number | null },
    signal: AbortSignal,
  ): ReturnType<typeof checkPlatform> {
    const { platform_id, target, expected } = checked
    const report = yield* checkPlatform(parts, { target, expected, ...LIMITS }, signal)
    if (platform_id !== null && hasWorkingEndpoint(report)) {
      await parts.platforms.recordRecovery(platform_id)
    }
    return report
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    checked: Pick<CheckRequest, 'target' | 'expected'> & { platform_id: number | null },
  ): Promise<void> {
    const lines = check(checked, abortOnClose(reply))
    if (wantsLines(request)) {
      const last = (report: ConformanceReport) => ({ kind: 'report', ...toAnswer(report) })
      sendLines(reply, toLines(lines, last))
      return
    }
    let step = await lines.next()
    while (!step.done) step = await lines.next()
    reply.send(toAnswer(step.value))
  }

  return async (app) => {
    app.post(
      '/api/v1/platforms/conformance',
      {
        schema: {
          summary: 'Check a whole platform before it is registered',
          description: ABOUT,
          body: ProbeRequest,
          response: { 200: jsonOrLines(ConformanceAnswer), '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        await answer(request, reply, {
          platform_id: null,
          target: request.body,
          expected: null,
        })
        return reply
      },
    )

    app.post(
      '/api/v1/platforms/:id/conformance',
      {
        schema: {
          summary: 'Check a registered platform whole',
          description: ABOUT,
          params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
          response: { 200: jsonOrLines(ConformanceAnswer), '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const { platform, target } = await readTarget(parts, request.params.id)
        await answer(request, reply, {
          platform_id: platform.id,
          target,
          expected: platform.platform_name,
        })
        return reply
      },
    )
  }
}

function toAnswer(report: ConformanceReport): ConformanceAnswer {
  return { success: report.success, report, html: reportHtml(report) }
}

/** As in a connection test, one required endpoint that responds as agreed shows that the platform works. */
function hasWorkingEndpoint({ endpoints }: ConformanceReport): boolean {
  return endpoints.some(
    ({ endpoint, passed, findings }) =>
      !['connection', 'search'].includes(endpoint) &&
      passed.length > 0 &&
      findings.every(({ severity }) => severity !== 'error'),
  )
}
