/** The endpoint of the metrics, and those of the process and the storage. Features add their own to the registry. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { HubError } from '../../../errors.ts'
import { special } from '../../../http/route.ts'
import { sameSecret, sha256 } from '../../../lib/crypto/hash.ts'
import { collectProcessMetrics } from '../../../lib/metrics/process-metrics.ts'
import type { FeatureDeps } from '../../feature-deps.ts'
import { collectStoredMetrics } from './stored-metrics.ts'

/** Who may read the metrics at a port: anyone who reaches it, nobody, or who has HUB_METRICS_TOKEN. */
export type MetricsProtection = 'open' | 'closed' | { token: string }

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The endpoint that Prometheus scrapes. */
export function metricsRoutes(
  { metrics }: Pick<FeatureDeps, 'metrics'>,
  protection: MetricsProtection,
) {
  return [
    special('GET /metrics', {
      summary: 'Read the metrics in the text format of Prometheus',
      response: {
        200: { description: 'The metrics', content: { [METRICS_TYPE]: { schema: Type.String() } } },
      },
      async handle(request, reply) {
        assertAllowed(request, protection)
        const text = await metrics.render()
        return reply.type(METRICS_TYPE).serializer(String).send(text)
      },
    }),
  ]
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

/** Less than the default time limit of a scrape, 10 s. */
const TIMEOUT_MS = 5000

type MetricsDeps = Pick<
  FeatureDeps,
  'metrics' | 'metricFigures' | 'searchIndex' | 'readDiskSpace' | 'clock' | 'log' | 'version'
> & {
  engine: 'sqlite' | 'postgres'
  /** Scrapes within this time share a read of the database. */
  cacheMs: number
  /** The spans of traces since the start; null if tracing is not configured. */
  spans: Readonly<{ exported: number; dropped: number }> | null
}

/** Starts the measurements that cost something without a scrape, so only a hub with an endpoint calls it. */
export function collectMetrics(deps: MetricsDeps): { stop: () => void } {
  const { metrics, log, version, engine, spans } = deps
  metrics.collect(() => [
    {
      name: 'recordhub_build_info',
      help: 'Version and engine of the hub; the value is 1.',
      type: 'gauge',
      samples: [{ labels: { version, node_version: process.version, engine }, value: 1 }],
    },
  ])
  collectStoredMetrics({
    ...{ ...deps, timeoutMs: TIMEOUT_MS },
    onError: (error) => log.error({ err: error }, 'metrics could not be read from the database'),
  })
  if (spans) {
    metrics.collect(() => [
      {
        name: 'recordhub_trace_spans_total',
        help: 'Spans of traces. dropped: the collector did not accept them in time.',
        type: 'counter',
        samples: [
          { labels: { result: 'exported' }, value: spans.exported },
          { labels: { result: 'dropped' }, value: spans.dropped },
        ],
      },
    ])
  }
  return collectProcessMetrics(metrics)
}
