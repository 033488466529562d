import Type, { type Static } from 'typebox'
import {
  described,
  NullableInteger,
  NullableString,
  NullableTimestamp,
  OneOf,
  Timestamp,
} from './common.ts'

/**
 * `platform_failing`: no module of the platform can be read, or at least half of its last pushes are rejected.
 * `module_failing`: one of its modules cannot be read. `platform_silent`: no push of the platform is accepted any more.
 * `rejected_rising`: more of its records are rejected than usual. `push_errors_rising`: more requests than usual have
 * an invalid key or an unreadable body. `missing_review`: many records are missing, and an operator must review them.
 * `search_behind`: the search index lags behind. `holds_open`: what a revert has taken back is still sent after a week. `disk_low`: the disk of the data folder is almost full.
 * `standby_asynchronous`: a failover of PostgreSQL can lose acknowledged pushes. `storage_not_synced`: PostgreSQL does
 * not sync its writes. `mail_failing`: the mail about an alert cannot be sent.
 * `backup_failed`: the scheduled backup failed. `backups_uncounted`: the folder has scheduled backups that are damaged, of
 * another hub or from a clock that was ahead. `job_failed`: a background job ended with an error, and runs again.
 */
export const AlertKind = OneOf(
  'platform_failing',
  'module_failing',
  'platform_silent',
  'rejected_rising',
  'push_errors_rising',
  'missing_review',
  'search_behind',
  'holds_open',
  'disk_low',
  'standby_asynchronous',
  'storage_not_synced',
  'mail_failing',
  'backup_failed',
  'backups_uncounted',
  'job_failed',
)

/** A condition that needs attention. It is resolved automatically (`resolved_at`). */
export const Alert = Type.Object({
  id: Type.Integer(),
  kind: AlertKind,
  platform_name: NullableString,
  missing_review_id: described(
    NullableInteger,
    'For `missing_review`: the review, `GET /api/v1/missing-reviews/{id}`',
  ),
  message: Type.String(),
  advice: Type.String({ description: 'What to do' }),
  raised_at: Timestamp,
  resolved_at: NullableTimestamp,
  acknowledged_at: NullableTimestamp,
  acknowledged_by: NullableString,
  mailed_at: described(NullableTimestamp, 'When the mail about the alert was sent'),
})

/** The number of open alerts, and the newest of them. */
export const OpenAlerts = Type.Object({ open: Type.Integer(), latest: Type.Array(Alert) })

export const AlertState = OneOf('open', 'resolved')

/** What happened to an alert. */
export const AlertChange = OneOf('raised', 'acknowledged', 'resolved')

/** A change of an alert, with the alert as it is now. `cursor` is its position in the sequence of events. */
export const AlertEvent = Type.Object({
  cursor: Type.String(),
  change: AlertChange,
  at: Timestamp,
  alert: Alert,
})

export const AlertEventsResponse = Type.Object({
  success: Type.Literal(true),
  events: Type.Array(AlertEvent),
  next_cursor: Type.String({ description: 'Pass it as `since` of the next request' }),
  has_more: Type.Boolean(),
})

export const AlertResponse = Type.Object({ success: Type.Literal(true), alert: Alert })

export const AlertPage = Type.Object({
  success: Type.Literal(true),
  alerts: Type.Array(Alert),
  next_cursor: NullableString,
})

export type AlertKind = Static<typeof AlertKind>
export type AlertState = Static<typeof AlertState>
export type Alert = Static<typeof Alert>
export type OpenAlerts = Static<typeof OpenAlerts>
export type AlertPage = Static<typeof AlertPage>
export type AlertChange = Static<typeof AlertChange>
export type AlertEvent = Static<typeof AlertEvent>
export type AlertEventsResponse = Static<typeof AlertEventsResponse>
