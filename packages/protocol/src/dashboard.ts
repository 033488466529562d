import Type, { type Static } from 'typebox'
import { ActivityEntry } from './activity.ts'
import { OpenAlerts } from './alert.ts'
import { NullableTimestamp, Timestamp } from './common.ts'
import { PlatformSummary } from './platform.ts'
import { Pull, PullState, PullTask, PullTrigger, RecentPull } from './pull.ts'
import { RecordSummary } from './record.ts'
import { HourOfStatistics } from './statistics.ts'

export const Stats = Type.Object({
  platforms: Type.Integer(),
  active_platforms: Type.Integer(),
  modules: Type.Integer(),
  records: Type.Integer(),
  received_today: Type.Integer(),
  created_today: Type.Integer(),
  updated_today: Type.Integer(),
  rejected_today: Type.Integer(),
})

/** The response of `GET /dashboard/realtime`. */
export const Snapshot = Type.Object({
  success: Type.Literal(true),
  generated_at: Timestamp,
  polling_interval_seconds: Type.Integer(),
  broadcasting: Type.Boolean(),
  stats: Stats,
  /** The last 24 hours, oldest first. */
  hours: Type.Array(HourOfStatistics),
  platforms: Type.Array(PlatformSummary),
  /** The last finished pulls of each platform in `platforms`, newest first. */
  recent_pulls: Type.Array(
    Type.Object({ platform_id: Type.Integer(), pulls: Type.Array(RecentPull) }),
  ),
  records: Type.Array(RecordSummary),
  logs: Type.Array(ActivityEntry),
  alerts: OpenAlerts,
  latest_sync: Type.Union([
    Type.Object({
      pull_id: Type.Integer(),
      trigger: PullTrigger,
      state: PullState,
      started_at: NullableTimestamp,
      finished_at: NullableTimestamp,
    }),
    Type.Null(),
  ]),
  pull: Type.Object({
    running: Type.Boolean(),
    pull: Type.Union([Pull, Type.Null()]),
    /** The pull that finished most recently. */
    last: Type.Union([Pull, Type.Null()]),
    /** Modules of the running pull, or of the last one if none runs: at most 20, running and failed ones first. */
    tasks: Type.Array(PullTask),
    schedule_paused: Type.Boolean(),
    next_run_at: NullableTimestamp,
  }),
})

/** The response of `POST /dashboard/auto-sync` (specification 4.1). */
export const AutoSyncResponse = Type.Object({
  success: Type.Literal(true),
  status: Type.Literal('idle'),
  message: Type.String(),
})

export type Stats = Static<typeof Stats>
export type Snapshot = Static<typeof Snapshot>
