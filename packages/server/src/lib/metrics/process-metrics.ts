/**
 * Metrics of the process, with the names of the client libraries of Prometheus, so that existing dashboards show them.
 * https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
 */
import { readdirSync, readFileSync } from 'node:fs'
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Collected, MetricsRegistry } from './registry.ts'

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
    const metrics = [
      gauge(
        'nodejs_eventloop_lag_mean_seconds',
        'Mean delay of the event loop since the last scrape.',
        toSeconds(delays.mean),
      ),
      gauge(
        'nodejs_eventloop_lag_max_seconds',
        'Maximum delay of the event loop since the last scrape.',
        toSeconds(delays.max),
      ),
      ...QUANTILES.map((percent) =>
        gauge(
          `nodejs_eventloop_lag_p${percent}_seconds`,
          `${percent}th percentile of the delays of the event loop since the last scrape.`,
          toSeconds(delays.percentile(percent)),
        ),
      ),
    ]
    delays.reset()
    return metrics
  }

  registry.collect(() => [
    ...readDelays(),
    ...readUtilization(performance.eventLoopUtilization()),
    ...readMemory(),
    ...readProcessor(),
    ...readThreads(),
    ...readFiles(),
    gauge(
      'process_start_time_seconds',
      'Start of the process, in seconds since 1970-01-01.',
      startedAt,
    ),
  ])
  return { stop: () => void delays.disable() }
}

function readUtilization({ active, idle }: EventLoopUtilization): Collected[] {
  return [
    counter(
      'nodejs_eventloop_active_seconds_total',
      'Time during which the event loop was busy.',
      active / 1000,
    ),
    counter(
      'nodejs_eventloop_idle_seconds_total',
      'Time during which the event loop waited for events.',
      idle / 1000,
    ),
  ]
}

function readMemory(): Collected[] {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  return [
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', rss),
    gauge('nodejs_heap_size_used_bytes', 'Used heap of the main thread.', heapUsed),
    gauge('nodejs_heap_size_total_bytes', 'Allocated heap of the main thread.', heapTotal),
    gauge(
      'nodejs_external_memory_bytes',
      'Memory outside of the heap that belongs to its objects.',
      external,
    ),
  ]
}

function readProcessor(): Collected[] {
  const { user, system } = process.cpuUsage()
  return [
    counter(
      'process_cpu_user_seconds_total',
      'Processor time of all threads in user mode.',
      user / 1e6,
    ),
    counter(
      'process_cpu_system_seconds_total',
      'Processor time of all threads in system mode.',
      system / 1e6,
    ),
    counter(
      'process_cpu_seconds_total',
      'Processor time of all threads, in user and system mode.',
      (user + system) / 1e6,
    ),
  ]
}

/** Linux only: other systems have no `/proc`. */
function readThreads(): Collected[] {
  const threads = /^Threads:\s*(\d+)$/m.exec(readText('/proc/self/status'))?.[1]
  if (threads === undefined) return []
  return [
    gauge('process_threads', 'Threads of the process, those of Node.js included.', Number(threads)),
  ]
}

function readFiles(): Collected[] {
  const max = readMaxOpenFiles()
  const open = countOpenFiles()
  return [
    ...(open === null ? [] : [gauge('process_open_fds', 'Open file descriptors.', open)]),
    ...(max === null
      ? []
      : [gauge('process_max_fds', 'Maximum number of open file descriptors.', max)]),
  ]
}

function countOpenFiles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return null
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function gauge(name: string, help: string, value: number): Collected {
  return { name, help, type: 'gauge', samples: [{ value }] }
}

function counter(name: string, help: string, value: number): Collected {
  return { name, help, type: 'counter', samples: [{ value }] }
}

/** The maximum number of open file descriptors of this process (`ulimit -n`); null where it is unknown. Linux only. */
export function readMaxOpenFiles(): number | null {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const max = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
    return max === undefined ? null : Number(max)
  } catch {
    return null
  }
}
