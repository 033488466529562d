import Type, { type Static } from 'typebox'
import { described, NullableString, OneOf, Timestamp } from './common.ts'

/**
 * Why the receiver rejected a request without storing it. `key_missing`, `key_invalid`: the response was 401; the key is
 * unknown, revoked or expired, or its platform is inactive. The other requests had a valid key. `too_many_keys`: the data had more
 * than twice the keys that a record may have; a push with fewer is saved with the other rejected pushes.
 */
export const PushErrorReason = OneOf(
  'key_missing',
  'key_invalid',
  'invalid_json',
  'unsupported_media_type',
  'body_too_large',
  'too_many_keys',
)

/** `key`: the request had a valid key. `key_prefix`, `address`: a key or an address of the platform matches. */
export const PushErrorMatch = OneOf('key', 'key_prefix', 'address')

/** The number of requests of one sender that were rejected in one hour for one reason. */
export const PushError = Type.Object({
  id: Type.Integer(),
  hour: Type.String({ format: 'date-time', description: 'The beginning of the hour' }),
  reason: PushErrorReason,
  key_hint: described(NullableString, 'The beginning of the key that was sent, such as `rhk_wro…`'),
  address: described(
    NullableString,
    'The IPv4 address of the client, or its IPv6 network (/64); null in the row that sums all senders over the hourly limit',
  ),
  requests: Type.Integer(),
  last_at: Timestamp,
  request_id: Type.String({ description: 'The last of these requests' }),
  platforms: Type.Array(Type.Object({ platform_name: Type.String(), match: PushErrorMatch }), {
    description: 'The platforms that may have sent them',
  }),
})

export const PushErrorPage = Type.Object({
  success: Type.Literal(true),
  push_errors: Type.Array(PushError),
  next_cursor: NullableString,
})

export type PushErrorReason = Static<typeof PushErrorReason>
export type PushErrorMatch = Static<typeof PushErrorMatch>
export type PushError = Static<typeof PushError>
export type PushErrorPage = Static<typeof PushErrorPage>
