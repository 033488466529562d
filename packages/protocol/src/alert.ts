import Type, { type Static } from 'typebox'
import { NullableString, NullableTimestamp, OneOf, Timestamp } from './common.ts'

/**
 * `platform_failing`: nothing of it can be read. `module_failing`: one of its modules cannot, others can. `platform_silent`: it pushes nothing though it usually
 * does. `rejected_rising`: more of it is refused than usual.
 * `push_errors_rising`: more requests than usual come with an invalid key or cannot be read. `missing_review`: many records are gone and
 * an operator is asked. `search_behind`: the search does not find what has changed. `disk_low`: the disk of the data folder. `mail_failing`: an alert waits, since its
 * mail cannot be sent.
 */
export const AlertKind = OneOf(
  'platform_failing',
  'module_failing',
  'platform_silent',
  'rejected_rising',
  'push_errors_rising',
  'missing_review',
  'search_behind',
  'disk_low',
  'mail_failing',
)

/** Something that a person should look at. It is over (`resolved_at`) by itself. */
export const Alert = Type.Object({
  id: Type.Integer(),
  kind: AlertKind,
  platform_name: NullableString,
  missing_review_id: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Of `missing_review`: the review to decide, `GET /api/v1/missing-reviews/{id}`',
  }),
  message: Type.String(),
  advice: Type.String({ description: 'What to do about it' }),
  raised_at: Timestamp,
  resolved_at: NullableTimestamp,
  acknowledged_at: NullableTimestamp,
  acknowledged_by: NullableString,
  mailed_at: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When the mail about it was sent',
  }),
})

/** The alerts that are open: how many, and the newest ones. */
export const OpenAlerts = Type.Object({ open: Type.Integer(), latest: Type.Array(Alert) })

export const AlertState = OneOf('open', 'resolved')

export const AlertAnswer = Type.Object({ success: Type.Literal(true), alert: Alert })

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
