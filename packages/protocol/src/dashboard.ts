import Type, { type Static } from 'typebox'
import { ActivityEntry } from './activity.ts'
import { OpenAlerts } from './alert.ts'
import { NullableTimestamp, Timestamp } from './common.ts'
import { Inbox } from './inbox.ts'
import { PlatformHealth, PlatformSummary } from './platform.ts'
import { Pull, PullState, PullTask, PullTrigger, RecentPull, Schedule } from './pull.ts'
import { RecordSummary } from './record.ts'
import { ChangeReason, HourOfStatistics } from './statistics.ts'

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

/** The running pull, the last one and the next one. */
export const SnapshotPull = Type.Object({
  running: Type.Boolean(),
  pull: Type.Union([Pull, Type.Null()]),
  /** The pull that finished most recently. */
  last: Type.Union([Pull, Type.Null()]),
  /** Modules of the running pull, or of the last one if none runs: at most 20, running and failed ones first. */
  tasks: Type.Array(PullTask),
  schedule_paused: Type.Boolean(),
  next_run_at: NullableTimestamp,
})

/** The response of `GET /dashboard/realtime`. */
export const Snapshot = Type.Object({
  success: Type.Literal(true),
  generated_at: Timestamp,
  polling_interval_seconds: Type.Integer(),
  broadcasting: Type.Boolean(),
  version: Type.String({ description: 'Of the hub, whose page may have changed with it' }),
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
  /** As `GET /api/v1/inbox`, with the first items only. */
  inbox: Type.Object({
    open: Inbox.properties.open,
    is_complete: Inbox.properties.is_complete,
    items: Inbox.properties.items,
  }),
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
  pull: SnapshotPull,
})

/** The content of each event of `GET /dashboard/events`, by its name. */
export const DASHBOARD_EVENTS = {
  /** As in the snapshot. */
  'pull.progress': Type.Object({ pull: SnapshotPull }),
  'pull.ended': Type.Object({ pull: SnapshotPull }),
  /** As in `GET /api/v1/schedule`. */
  'schedule.changed': Type.Object({ schedule: Schedule }),
  /** The platforms whose health has changed. */
  'platform.health': Type.Object({
    platforms: Type.Array(Type.Object({ id: Type.Integer(), health: PlatformHealth })),
  }),
  /** What has changed, so that pages read open lists again. */
  changed: Type.Object({ reasons: Type.Array(ChangeReason) }),
  /** The request log has more requests, so that a page which follows it reads those after its cursor. */
  'requests.logged': Type.Object({}),
  /** Shows that the stream arrives: as its first event, and at least every 15 s. */
  heartbeat: Type.Object({}),
}

/** The response of `POST /dashboard/auto-sync` (specification 4.1). */
export const AutoSyncResponse = Type.Object({
  success: Type.Literal(true),
  status: Type.Literal('idle'),
  message: Type.String(),
})

export type Stats = Static<typeof Stats>
export type SnapshotPull = Static<typeof SnapshotPull>
export type DashboardEvents = {
  [Name in keyof typeof DASHBOARD_EVENTS]: Static<(typeof DASHBOARD_EVENTS)[Name]>
}
export type DashboardEventName = keyof DashboardEvents
export type Snapshot = Static<typeof Snapshot>
