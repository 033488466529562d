import type { CheckRequest, Hub } from '@recordhub/platform-checker'
import { type ConformanceReport, ConformanceResponse, ProbeRequest } from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { special } from '../../http/route.ts'
import {
  abortOnClose,
  acceptsNdjson,
  jsonOrLines,
  LINES,
  resultOf,
  sendLines,
  toLines,
} from '../../lib/net/ndjson.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { auditProbe, readTarget } from './test-connection.ts'

/** The limits of a check by the hub. The command line has higher ones. */
const LIMITS = { maxRecords: 200_000, maxSeconds: 300 }

const ABOUT =
  `Checks ping, manifest, every module and the search of a platform as the hub would: at most ` +
  `${LIMITS.maxRecords} records per module and ${LIMITS.maxSeconds} s. Nothing is stored. ${LINES}`

/** The checker is loaded for the first check, since most hubs check a platform rarely. */
const loadChecker = () => import('@recordhub/platform-checker')
type Checker = Awaited<ReturnType<typeof loadChecker>>

/** Checks all endpoints of a platform, before or after it is registered. */
export function conformanceRoutes(
  deps: Pick<FeatureDeps, 'platforms' | 'activity' | 'secrets'> & { hub: Hub },
) {
  /** @param checked `platform_id`: null if the platform is not registered. */
  async function* check(
    { checkPlatform }: Checker,
    checked: Pick<CheckRequest, 'target' | 'expected'> & { platform_id: number | null },
    signal: AbortSignal,
  ): ReturnType<Checker['checkPlatform']> {
    const { platform_id, target, expected } = checked
    const report = yield* checkPlatform(deps.hub, { target, expected, ...LIMITS }, signal)
    if (platform_id !== null && hasWorkingEndpoint(report)) {
      await deps.platforms.recordRecovery(platform_id)
    }
    return report
  }

  async function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    checked: Pick<CheckRequest, 'target' | 'expected'> & { platform_id: number | null },
  ) {
    const { source_base_url } = checked.target
    const platform_name = checked.expected
    await auditProbe(deps, request.requester, { platform_name, source_base_url })
    const closed = abortOnClose(reply)
    const checker = await loadChecker()
    const toResponse = (report: ConformanceReport): ConformanceResponse => ({
      success: report.success,
      report,
      html: checker.reportHtml(report),
    })
    const lines = check(checker, checked, closed)
    if (!acceptsNdjson(request)) return reply.send(toResponse(await resultOf(lines)))
    const last = (report: ConformanceReport) => ({ kind: 'report', ...toResponse(report) })
    return sendLines(reply, toLines(lines, last))
  }

  const response = { 200: jsonOrLines(ConformanceResponse) }
  return [
    special('POST /api/v1/platforms/conformance', {
      summary: 'Check all endpoints of a platform before it is registered',
      description: ABOUT,
      body: ProbeRequest,
      response,
      handle: (request, reply) =>
        respond(request, reply, { platform_id: null, target: request.body, expected: null }),
    }),

    special('POST /api/v1/platforms/:id/conformance', {
      summary: 'Check all endpoints of a registered platform',
      description: ABOUT,
      response,
      async handle(request, reply) {
        const { platform, target } = await readTarget(deps, request.params.id)
        const { id: platform_id, platform_name: expected } = platform
        return respond(request, reply, { platform_id, target, expected })
      },
    }),
  ]
}

/** As in a connection test, one required endpoint that conforms shows that the platform works. */
function hasWorkingEndpoint({ endpoints }: ConformanceReport): boolean {
  return endpoints.some(
    ({ endpoint, passed, findings }) =>
      !['connection', 'search'].includes(endpoint) &&
      passed.length > 0 &&
      findings.every(({ severity }) => severity !== 'error'),
  )
}
