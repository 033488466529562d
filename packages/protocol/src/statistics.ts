import Type, { type Static } from 'typebox'
import { OneOf, Timestamp } from './common.ts'

/** What happened within one hour (UTC), over all platforms that are registered now. */
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

/** The hours up to this one, oldest first; those in which nothing happened too. */
export const Statistics = Type.Object({
  success: Type.Literal(true),
  hours: Type.Array(HourOfStatistics),
})

/** Why the dashboard may want to ask again: all that an event of `/dashboard/events` says. */
export const ChangeReason = OneOf('records', 'pull', 'activity', 'platforms')

export type HourOfStatistics = Static<typeof HourOfStatistics>
export type Statistics = Static<typeof Statistics>
export type ChangeReason = Static<typeof ChangeReason>
