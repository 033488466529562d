import Type, { type Static, type TProperties, type TSchema } from 'typebox'

/** RFC 3339 in UTC with milliseconds, e.g. `2026-11-21T07:30:00.000Z`. */
export const Timestamp = Type.String({ format: 'date-time' })
export const NullableTimestamp = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'date-time',
})
export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const NullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] })

/** A schema with a description. */
export function described<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Unsafe<Static<Schema>>({ ...schema, description })
}

/** An object without other members than these. */
export function ClosedObject<Members extends TProperties>(members: Members) {
  return Type.Object(members, { additionalProperties: false })
}

/** The maximum length of a URL, and so of a text in one. */
const MAX_REQUEST_TEXT = 16_384

/** A text in a request, such as a name, an id or a cursor. */
export function RequestText(
  options: { description?: string; minLength?: number; pattern?: string } = {},
) {
  return Type.String({ maxLength: MAX_REQUEST_TEXT, ...options })
}

/** One of the given strings, in the form of JSON Schema that serialises fastest. */
export function OneOf<const Value extends string>(...values: Value[]) {
  return Type.Unsafe<Value>({ type: 'string', enum: values })
}

/** The response to a request that only reports success. */
export const DoneResponse = Type.Object({ success: Type.Literal(true), message: Type.String() })

/** The body of every error response of the hub. `errors` lists the invalid members. */
export const ErrorResponse = Type.Object({
  success: Type.Literal(false),
  code: Type.String(),
  message: Type.String(),
  request_id: Type.String(),
  errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
})

export type ErrorResponse = Static<typeof ErrorResponse>
