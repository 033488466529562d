import Type, { type Static } from 'typebox'

/** RFC 3339 in UTC with milliseconds, e.g. `2026-11-21T07:30:00.000Z`. */
export const Timestamp = Type.String({ format: 'date-time' })
export const NullableTimestamp = Type.Union([Timestamp, Type.Null()])
export const NullableString = Type.Union([Type.String(), Type.Null()])
export const NullableInteger = Type.Union([Type.Integer(), Type.Null()])

/** Every error answer of the hub. `errors` names the members that are wrong. */
export const ErrorAnswer = Type.Object({
  success: Type.Literal(false),
  code: Type.String(),
  message: Type.String(),
  request_id: Type.String(),
  errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
})

export type ErrorAnswer = Static<typeof ErrorAnswer>
