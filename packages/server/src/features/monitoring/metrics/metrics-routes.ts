import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { HubError } from '../../../errors.ts'
import { sameSecret, sha256 } from '../../../lib/crypto/hash.ts'
import type { MetricsRegistry } from '../../../lib/metrics/registry.ts'

/** Who may read the metrics at a port: anyone who reaches it, nobody, or who has HUB_METRICS_TOKEN. */
export type MetricsProtection = 'open' | 'closed' | { token: string }

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The endpoint that Prometheus scrapes. */
export function metricsRoutes(deps: {
  registry: Pick<MetricsRegistry, 'render'>
  protection: MetricsProtection
}): FastifyPluginAsyncTypebox {
  const { registry, protection } = deps
  return async (app) => {
    app.get(
      '/metrics',
      {
        schema: {
          summary: 'Read the metrics in the text format of Prometheus',
          response: {
            200: {
              description: 'The metrics',
              content: { [METRICS_TYPE]: { schema: Type.String() } },
            },
          },
        },
      },
      async (request, reply) => {
        assertAllowed(request, protection)
        const text = await registry.render()
        return reply.type(METRICS_TYPE).serializer(String).send(text)
      },
    )
  }
}

function assertAllowed(request: FastifyRequest, protection: MetricsProtection): void {
  if (protection === 'open') return
  if (protection === 'closed') throw new HubError('not_found', { what: 'page or endpoint' })
  const sent = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  // Hashes have the same length, so the time does not depend on the length of the token either.
  if (!sameSecret(sha256(sent.trim()), sha256(protection.token))) {
    throw new HubError('metrics_token_invalid')
  }
}
