import Type, { type Static } from 'typebox'
import { NullableInteger, NullableString, NullableTimestamp, OneOf } from './common.ts'

/**
 * Why a read is no proof that all records are here: the platform gave no total; it gave another one than
 * came; records were rejected; some were pushed while it was read and are settled by the next read; records
 * that the read did not contain wait for another read, the end of their grace period or an operator.
 */
export const Doubt = OneOf('no_total', 'total_differs', 'rejected', 'stale', 'missing_unsettled')

/** Whether all records of a registered module are here, and what differs now. */
export const ModuleCompleteness = Type.Object({
  module_id: Type.Integer(),
  platform_name: Type.String(),
  module_name: Type.String(),
  record_type: Type.String(),
  complete_at: Type.Unsafe<string | null>({
    ...NullableTimestamp,
    description: 'When a read last proved it',
  }),
  last_read_at: NullableTimestamp,
  doubts: Type.Array(Doubt, { description: 'Why the last whole read was no proof' }),
  trouble: NullableString,
  records: Type.Integer(),
  missing: Type.Integer({ description: 'Records that are marked as missing' }),
  pushed_since: Type.Unsafe<number | null>({
    ...NullableInteger,
    description: 'Pushes, replays and erasures since the read that proved it',
  }),
  only_here: Type.Unsafe<number | null>({
    ...NullableInteger,
    description:
      'Records, not marked as missing, that the last whole read did not bring, not even wrongly',
  }),
})

export const CompletenessPage = Type.Object({
  success: Type.Literal(true),
  modules: Type.Array(ModuleCompleteness),
  next_cursor: NullableString,
})

export type Doubt = Static<typeof Doubt>
export type ModuleCompleteness = Static<typeof ModuleCompleteness>
