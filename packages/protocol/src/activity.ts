import Type, { type Static } from 'typebox'
import { NullableInteger, NullableString, OneOf, RequestText, Timestamp } from './common.ts'

export const ActivityLevel = OneOf('info', 'warning', 'error')

/** One activity entry. */
export const ActivityEntry = Type.Object({
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

/** A filter of activity entries; a missing member matches all. */
export const ActivityFilter = Type.Object({
  platform: Type.Optional(RequestText()),
  level: Type.Optional(ActivityLevel),
  kind: Type.Optional(
    RequestText({
      pattern: '^[a-z_]{1,40}(\\.[a-z_]{1,40})?$',
      description: 'A kind such as `push.created`, or its first part for all kinds of that noun',
    }),
  ),
  record: Type.Optional(Type.Integer({ minimum: 1, description: 'The `record_id` of the record' })),
  by: Type.Optional(
    Type.Literal('operator', { description: 'Only what operators and programs have caused' }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Words that must all occur in the message, the actor or the details. Ignores the case of A to Z.',
    }),
  ),
  since: Type.Optional(RequestText({ description: 'RFC 3339' })),
  until: Type.Optional(RequestText({ description: 'RFC 3339' })),
})

export const ActivityPage = Type.Object({
  success: Type.Literal(true),
  activity: Type.Array(ActivityEntry),
  next_cursor: NullableString,
  complete: Type.Boolean({
    description:
      'False if the time limit was reached before the page was full. `next_cursor` continues from there.',
  }),
})

export type ActivityLevel = Static<typeof ActivityLevel>
export type ActivityEntry = Static<typeof ActivityEntry>
export type ActivityFilter = Static<typeof ActivityFilter>
export type ActivityPage = Static<typeof ActivityPage>
