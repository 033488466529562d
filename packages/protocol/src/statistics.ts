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
  pulls: Type.Integer({ description: 'Pulls that ended' }),
  pulls_failed: Type.Integer({ description: 'Of these, pulls that could not read all modules' }),
  platforms_added: Type.Integer({ description: 'Platforms that were registered' }),
  modules_added: Type.Integer({ description: 'Modules that were registered' }),
})

/** The hours up to the current one, oldest first, including hours without activity. */
export const Statistics = Type.Object({
  success: Type.Literal(true),
  hours: Type.Array(HourOfStatistics),
})

/** The counts of one minute (UTC) for all registered platforms. */
export const MinuteOfStatistics = Type.Object({
  at: Timestamp,
  pushes: Type.Integer({ description: 'Accepted pushes' }),
  rejected: Type.Integer({ description: 'Rejected pushes' }),
  pulled: Type.Integer({ description: 'Records that pulls added or changed' }),
  pulls: Type.Integer({ description: 'Pulls that ended' }),
  pulls_failed: Type.Integer({ description: 'Of these, pulls that could not read all modules' }),
})

/** At most the last 60 minutes, oldest first. It begins with the first minute of which all pushes were counted. */
export const RecentStatistics = Type.Object({
  success: Type.Literal(true),
  minutes: Type.Array(MinuteOfStatistics),
})

/** The kinds of data whose changes the hub broadcasts. `requests` has an event of its own, `requests.logged`. */
export const CHANGE_REASONS = [
  'records',
  'pull',
  'schedule',
  'activity',
  'platforms',
  'requests',
] as const
export const ChangeReason = OneOf(...CHANGE_REASONS)

export type HourOfStatistics = Static<typeof HourOfStatistics>
export type MinuteOfStatistics = Static<typeof MinuteOfStatistics>
export type Statistics = Static<typeof Statistics>
export type ChangeReason = Static<typeof ChangeReason>
