import Type, { type Static } from 'typebox'
import { OpenAlerts } from './alert.ts'
import { NullableInteger, NullableString, NullableTimestamp, OneOf, Timestamp } from './common.ts'
import { PlatformSummary } from './platform.ts'
import { Pull, PullState, PullTrigger } from './pull.ts'
import { RecordSummary } from './record.ts'

export const ActivityLevel = OneOf('info', 'warning', 'error')

/** One line of the log that operators read. */
export const ActivityLine = Type.Object({
  id: Type.Integer(),
  at: Timestamp,
  level: ActivityLevel,
  kind: Type.String(),
  platform_name: NullableString,
  record_id: NullableInteger,
  actor: NullableString,
  message: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
})

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

/** What `GET /dashboard/realtime` answers. */
export const Snapshot = Type.Object({
  success: Type.Literal(true),
  generated_at: Timestamp,
  polling_interval_seconds: Type.Integer(),
  broadcasting: Type.Boolean(),
  stats: Stats,
  platforms: Type.Array(PlatformSummary),
  records: Type.Array(RecordSummary),
  logs: Type.Array(ActivityLine),
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
    schedule_paused: Type.Boolean(),
    next_run_at: NullableTimestamp,
  }),
})

/** The whole effect of `POST /dashboard/auto-sync` (specification 4.1). */
export const AutoSyncAnswer = Type.Object({
  success: Type.Literal(true),
  status: Type.Literal('idle'),
  message: Type.String(),
})

/** A push or a pulled record that was refused, kept so that it can be mended. */
export const RejectedPush = Type.Object({
  id: Type.Integer(),
  at: Timestamp,
  count: Type.Integer(),
  platform_name: Type.String(),
  method: OneOf('POST', 'PATCH', 'pull'),
  code: Type.String(),
  message: Type.String(),
  errors: Type.Record(Type.String(), Type.Array(Type.String())),
  body: Type.Unknown(),
  replayed_at: NullableTimestamp,
})

export type ActivityLevel = Static<typeof ActivityLevel>
export type ActivityLine = Static<typeof ActivityLine>
export type Stats = Static<typeof Stats>
export type Snapshot = Static<typeof Snapshot>
export type RejectedPush = Static<typeof RejectedPush>
