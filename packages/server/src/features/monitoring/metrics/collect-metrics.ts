/** The metrics of the hub: those of the process and of the storage. Features add their own to the registry. */
import type { FastifyBaseLogger } from 'fastify'
import { collectProcessMetrics } from '../../../lib/metrics/process-metrics.ts'
import type { MetricsRegistry } from '../../../lib/metrics/registry.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Storage } from '../../../storage/port/storage.ts'
import { collectStoredMetrics } from './stored-metrics.ts'

/** Less than the default time limit of a scrape, 10 s. */
const TIMEOUT_MS = 5000

type MetricsDeps = {
  registry: MetricsRegistry
  storage: Storage
  clock: Clock
  log: FastifyBaseLogger
  version: string
  engine: 'sqlite' | 'postgres'
  /** Scrapes within this time share a read of the database. */
  cacheMs: number
  /** The spans of traces since the start; null if tracing is not configured. */
  spans: Readonly<{ exported: number; dropped: number }> | null
}

/** Starts the measurements that cost something without a scrape, so only a hub with an endpoint calls it. */
export function collectMetrics(deps: MetricsDeps): { stop: () => void } {
  const { registry, storage, log, version, engine, spans } = deps
  registry.collect(() => [
    {
      name: 'recordhub_build_info',
      help: 'Version and engine of the hub; the value is 1.',
      type: 'gauge',
      samples: [{ labels: { version, node_version: process.version, engine }, value: 1 }],
    },
  ])
  collectStoredMetrics({
    ...{ registry, clock: deps.clock, cacheMs: deps.cacheMs, timeoutMs: TIMEOUT_MS },
    ...{ metrics: storage.metricFigures, searchIndex: storage.searchIndex },
    readDiskSpace: storage.readDiskSpace,
    onError: (error) => log.error({ err: error }, 'metrics could not be read from the database'),
  })
  if (spans) {
    registry.collect(() => [
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
  return collectProcessMetrics(registry)
}
