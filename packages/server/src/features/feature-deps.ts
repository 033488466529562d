import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/settings.ts'
import type { Job, JobFailure, ReportJobFailure } from '../domain/alerts/alert.ts'
import type { SecretBox } from '../lib/crypto/secret-box.ts'
import type { MetricsRegistry } from '../lib/metrics/registry.ts'
import type { MonotonicClock } from '../lib/time/clock.ts'
import type { FollowSchedule, ScheduleTime } from '../lib/time/cron.ts'
import type { Tracer } from '../lib/tracing/tracer.ts'
import type { PlatformClient } from '../platform-client/platform-client.ts'
import type { Storage } from '../storage/port/storage.ts'

/**
 * What `app.ts` passes to every feature. A function declares the part that it uses, which is all that its tests pass:
 * `deps: Pick<FeatureDeps, 'platforms' | 'clock'>`.
 */
export type FeatureDeps = Storage & {
  /** For functions that pass all of it on. */
  storage: Storage
  /**
   * Some of its values change while the hub runs (`HubSettings`), so they are read when they are needed.
   * Functions that benchmarks and simulations call name their settings: `config: Pick<FeatureDeps['config'], 'HUB_…'>`.
   */
  config: Config
  client: PlatformClient
  secrets: SecretBox
  monotonicClock: MonotonicClock
  log: FastifyBaseLogger
  version: string
  metrics: MetricsRegistry
  /** Null if no collector is configured. */
  tracer: Tracer | null
  /** HUB_PUBLIC_URL; empty without it. */
  publicUrl: string
  isBehindTls: boolean
  /** The day of a time in the time zone of the hub, as `2026-11-21`. */
  dayOf: (at: Date) => string
  csrfTokenOf: (sessionId: string) => string
  scheduleTime: ScheduleTime
  followSchedule: FollowSchedule
  /** The next time of the schedule of pulls; null without a schedule. */
  nextRun: () => Date | null
  reportJobFailure: ReportJobFailure
  jobFailures: ReadonlyMap<Job, JobFailure>
}
