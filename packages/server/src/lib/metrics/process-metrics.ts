/**
 * Metrics of the process, with the names of the client libraries of Prometheus, so that existing dashboards show them.
 * https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
 */
import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { type Collected, type MetricsRegistry, unlabelled } from './registry.ts'

/** A timer fires at this interval. Shorter delays are not measured. */
const RESOLUTION_MS = 10
const QUANTILES = [50, 90, 99] as const

/** Measures until `stop`. */
export function collectProcessMetrics(registry: MetricsRegistry): { stop: () => void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const startedAt = (Date.now() - performance.now()) / 1000

  function readDelays(): Collected[] {
    // Without a measurement since the last scrape, the values are not numbers.
    const toSeconds = (nanoseconds: number) =>
      Number.isFinite(nanoseconds) && delays.count > 0
        ? Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)
        : 0
    const quantiles = QUANTILES.map((percent) => [
      `nodejs_eventloop_lag_p${percent}_seconds`,
      [
        `${percent}th percentile of the delays of the event loop since the last scrape.`,
        toSeconds(delays.percentile(percent)),
      ],
    ])
    const metrics = unlabelled({
      nodejs_eventloop_lag_mean_seconds: [
        'Mean delay of the event loop since the last scrape.',
        toSeconds(delays.mean),
      ],
      nodejs_eventloop_lag_max_seconds: [
        'Maximum delay of the event loop since the last scrape.',
        toSeconds(delays.max),
      ],
      ...Object.fromEntries(quantiles),
    })
    delays.reset()
    return metrics
  }

  registry.collect(() => [...readDelays(), ...readProcess(startedAt)])
  return { stop: () => void delays.disable() }
}

function readProcess(startedAt: number): Collected[] {
  const { active, idle } = performance.eventLoopUtilization()
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return unlabelled({
    nodejs_eventloop_active_seconds_total: [
      'Time during which the event loop was busy.',
      active / 1000,
    ],
    nodejs_eventloop_idle_seconds_total: [
      'Time during which the event loop waited for events.',
      idle / 1000,
    ],
    process_resident_memory_bytes: ['Resident memory of the process.', rss],
    nodejs_heap_size_used_bytes: ['Used heap of the main thread.', heapUsed],
    nodejs_heap_size_total_bytes: ['Allocated heap of the main thread.', heapTotal],
    nodejs_external_memory_bytes: [
      'Memory outside of the heap that belongs to its objects.',
      external,
    ],
    process_cpu_user_seconds_total: ['Processor time of all threads in user mode.', user / 1e6],
    process_cpu_system_seconds_total: [
      'Processor time of all threads in system mode.',
      system / 1e6,
    ],
    process_cpu_seconds_total: [
      'Processor time of all threads, in user and system mode.',
      (user + system) / 1e6,
    ],
    // Linux only: other systems have no `/proc`.
    process_threads: [
      'Threads of the process, those of Node.js included.',
      findNumber('/proc/self/status', /^Threads:\s*(\d+)$/m),
    ],
    process_open_fds: ['Open file descriptors.', countOpenFiles()],
    process_max_fds: ['Maximum number of open file descriptors.', readMaxOpenFiles()],
    process_start_time_seconds: ['Start of the process, in seconds since 1970-01-01.', startedAt],
  })
}

function countOpenFiles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return null
  }
}

/** The number that a pattern finds in a file; null if there is none. */
function findNumber(path: string, pattern: RegExp): number | null {
  try {
    const found = pattern.exec(readFileSync(path, 'utf8'))?.[1]
    return found === undefined ? null : Number(found)
  } catch {
    return null
  }
}

/** The maximum number of open file descriptors of this process (`ulimit -n`); null where it is unknown. Linux only. */
export function readMaxOpenFiles(): number | null {
  return findNumber('/proc/self/limits', /^Max open files\s+(\d+)/m)
}
