import Type, { type Static } from 'typebox'
import { OneOf, Timestamp } from './common.ts'

/** The counts of one hour (UTC) for all registered platforms. */
export const HourOfStatistics = Type.Object({
  at: Timestamp,
  received_post: Type.Integer(),
  received_patch: Type.Integer(),
  received_pull: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  rejected: Type.Integer(),
  platforms_added: Type.Integer({ description: 'Platforms that were registered' }),
  modules_added: Type.Integer({ description: 'Modules that were registered' }),
})

/** The hours up to the current one, oldest first, including hours without activity. */
export const Statistics = Type.Object({
  success: Type.Literal(true),
  hours: Type.Array(HourOfStatistics),
})

/** The reason for a refresh of the dashboard, sent by `/dashboard/events`. */
export const ChangeReason = OneOf('records', 'pull', 'activity', 'platforms')

export type HourOfStatistics = Static<typeof HourOfStatistics>
export type Statistics = Static<typeof Statistics>
export type ChangeReason = Static<typeof ChangeReason>
