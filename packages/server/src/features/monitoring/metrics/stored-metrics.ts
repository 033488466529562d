/** The metrics that come from the storage. Each process on a database reports the same values, except for threads. */
import { ADVICE } from '../../../domain/alerts/alert.ts'
import { type Collected, unlabelled } from '../../../lib/metrics/registry.ts'
import { LAG_LIMIT } from '../../../storage/port/search-index-store.ts'
import {
  MISSING_LIMIT,
  type PlatformFigures,
  type StoredFigures,
} from '../../../storage/port/statistics-store.ts'
import type { FeatureDeps } from '../../feature-deps.ts'

/** Platforms with series of their own, the first registered ones. A hub has 1,000 platforms by design. */
export const MAX_PLATFORM_SERIES = 1000

const ALERT_KINDS = Object.keys(ADVICE)

type StoredMetricsDeps = Pick<
  FeatureDeps,
  'metrics' | 'metricFigures' | 'searchIndex' | 'readDiskSpace' | 'clock'
> & {
  /** Scrapes within this time share a read. */
  cacheMs: number
  /** The time after which a scrape does not wait for the database any longer. */
  timeoutMs: number
  onError: (error: unknown) => void
}

type Figures = StoredFigures & {
  search: Awaited<ReturnType<FeatureDeps['searchIndex']['readSearchIndex']>>
  disk: Awaited<ReturnType<FeatureDeps['readDiskSpace']>>
}

/** Without the database, a scrape has the metrics of the process, and `recordhub_database_up` is 0. */
export function collectStoredMetrics(deps: StoredMetricsDeps): void {
  let reading: { begun: number; figures: Promise<Figures | null>; hasEnded: boolean } | null = null
  let hasFailed = false

  async function read(): Promise<Figures | null> {
    try {
      const figures = await deps.metricFigures.readFigures()
      const search = await deps.searchIndex.readSearchIndex()
      const disk = await deps.readDiskSpace()
      hasFailed = false
      return { ...figures, search, disk }
    } catch (error) {
      if (!hasFailed) deps.onError(error)
      hasFailed = true
      return null
    }
  }

  /** One read at a time: a database that does not respond must not be asked again by each scrape. */
  function readShared(): Promise<Figures | null> {
    const now = performance.now()
    if (reading && (!reading.hasEnded || now - reading.begun < deps.cacheMs)) return reading.figures
    const current = { begun: now, figures: read(), hasEnded: false }
    current.figures.finally(() => {
      current.hasEnded = true
    })
    reading = current
    return current.figures
  }

  deps.metrics.collect(async () => {
    const begun = performance.now()
    const figures = await withTimeout(readShared(), deps.timeoutMs)
    const seconds = (performance.now() - begun) / 1000
    return [
      ...unlabelled({
        recordhub_database_up: [
          'Whether the figures could be read from the database: 1 or 0.',
          figures === null ? 0 : 1,
        ],
        recordhub_database_read_seconds: [
          'Duration of reading the figures of this scrape from the database.',
          seconds,
        ],
      }),
      ...(figures === null ? [] : describe(figures, deps.clock.now())),
    ]
  })
}

async function withTimeout<Value>(value: Promise<Value>, ms: number): Promise<Value | null> {
  const { promise: timeout, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), ms)
  try {
    return await Promise.race([value, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function describe(figures: Figures, now: Date): Collected[] {
  const { platforms, pulls, pull_tasks, alerts, search, disk, threads } = figures
  const active = platforms.filter(({ status }) => status === 'active').length
  const behindSince = search.behind_since
  const lagMs = behindSince === null ? 0 : now.getTime() - Date.parse(behindSince)
  return [
    labelled('recordhub_platforms', 'Registered platforms by status.', 'status', [
      ['active', active],
      ['inactive', platforms.length - active],
    ]),
    labelled('recordhub_pulls_unfinished', 'Unfinished pulls by state.', 'state', [
      ['queued', pulls.queued],
      ['running', pulls.running],
    ]),
    labelled('recordhub_pull_tasks_unfinished', 'Tasks of the unfinished pull by state.', 'state', [
      ['queued', pull_tasks.queued],
      ['running', pull_tasks.running],
    ]),
    labelled(
      'recordhub_alerts_open',
      'Open alerts by kind.',
      'kind',
      ALERT_KINDS.map((kind) => [kind, alerts[kind] ?? 0]),
    ),
    labelled(
      'recordhub_thread_running',
      'Whether a thread of the storage runs: 1 or 0. It starts when it is first needed.',
      'thread',
      threads.map(({ thread, is_running }) => [thread, Number(is_running)]),
    ),
    labelled(
      'recordhub_thread_requests',
      'Requests to a thread of the storage that wait or are in progress.',
      'thread',
      threads.map(({ thread, requests }) => [thread, requests]),
    ),
    ...unlabelled({
      recordhub_modules: ['Registered modules of all platforms.', figures.modules],
      recordhub_records: ['Stored records.', figures.records],
      recordhub_missing_records: [
        `Records that are marked as missing, counted up to ${MISSING_LIMIT}.`,
        figures.missing,
      ],
      recordhub_missing_reviews_pending: [
        'Reviews of missing records that wait for an operator.',
        figures.pending_reviews,
      ],
      recordhub_rejected_stored_bytes: [
        'Size of the stored rejected pushes and rejected records.',
        figures.rejected_bytes,
      ],
      recordhub_search_lag_records: [
        `Changed records that are not yet in the search index, counted up to ${LAG_LIMIT}.`,
        search.lag,
      ],
      recordhub_search_lag_seconds: [
        'Time since the oldest change that is not yet in the search index; 0 if there is none.',
        Math.max(0, lagMs / 1000),
      ],
      recordhub_sessions: ['Sessions of operators that have not expired.', figures.sessions],
      recordhub_database_size_bytes: ['Size of the database.', figures.database_bytes],
      recordhub_database_wal_size_bytes: [
        'Size of the write-ahead log of SQLite.',
        figures.wal_bytes,
      ],
      recordhub_disk_available_bytes: [
        'Free space on the disk of the database.',
        disk?.available ?? null,
      ],
      recordhub_disk_size_bytes: ['Size of the disk of the database.', disk?.total ?? null],
    }),
    ...describePlatforms(platforms.slice(0, MAX_PLATFORM_SERIES)),
  ]
}

/** The only series of single platforms. There are none of single modules. */
function describePlatforms(platforms: PlatformFigures[]): Collected[] {
  const series = (
    name: string,
    help: string,
    type: Collected['type'],
    figureOf: (platform: PlatformFigures) => number | null,
  ): Collected => ({
    ...{ name, help, type },
    samples: platforms.flatMap((platform) => {
      const value = figureOf(platform)
      return value === null ? [] : [{ labels: { platform: platform.platform_name }, value }]
    }),
  })
  return [
    series(
      'recordhub_platform_records',
      'Stored records of a platform.',
      'gauge',
      ({ records }) => records,
    ),
    series(
      'recordhub_platform_pushes_total',
      'Accepted pushes of a platform since its registration, to all processes.',
      'counter',
      ({ pushes }) => pushes,
    ),
    series(
      'recordhub_platform_failed_pulls',
      'Consecutive pulls that stored nothing of a platform.',
      'gauge',
      ({ failures_in_row }) => failures_in_row,
    ),
    series(
      'recordhub_platform_last_pull_timestamp_seconds',
      'When a module of a platform was last read, in seconds since 1970-01-01.',
      'gauge',
      ({ last_pulled_at: at }) => (at === null ? null : Date.parse(at) / 1000),
    ),
  ]
}

function labelled(
  name: string,
  help: string,
  label: string,
  values: readonly (readonly [text: string, value: number])[],
): Collected {
  const samples = values.map(([text, value]) => ({ labels: { [label]: text }, value }))
  return { name, help, type: 'gauge', samples }
}
