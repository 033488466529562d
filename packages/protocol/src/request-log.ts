import Type, { type Static } from 'typebox'
import { described, NullableInteger, NullableString, RequestText } from './common.ts'
import type { ReplayOutcome } from './rejected-push.ts'

/** A request to the receiver, with the key of a platform or without one, and the response to it. */
const members = {
  id: Type.Integer(),
  at: Type.String({ format: 'date-time', description: 'When its headers were received' }),
  method: Type.String(),
  path: Type.String({ description: 'Without the query' }),
  status: Type.Integer(),
  latency_ms: Type.Number({ description: 'Until the response was ready' }),
  size: described(
    NullableInteger,
    'The bytes of its body, by `Content-Length` if the body was not read',
  ),
  platform_name: described(
    NullableString,
    'The platform of its key; null without a valid key, and for an unknown path or method',
  ),
  record_type: NullableString,
  reference_number: NullableString,
  outcome: Type.Unsafe<ReplayOutcome | 'held' | 'rejected' | null>({
    type: ['string', 'null'],
    enum: ['created', 'updated', 'unchanged', 'stale', 'held', 'rejected', null],
    description: '`rejected` for every error; null if the request was no push and no error',
  }),
  code: described(NullableString, 'The code of the error'),
  record_id: NullableInteger,
  request_id: Type.String(),
  key_hint: described(NullableString, 'The beginning of the key that was sent, such as `rhk_4fT…`'),
  address: Type.String({
    description: 'The IPv4 address of the client, or its IPv6 network (/64)',
  }),
  body_kept: Type.Boolean({
    description:
      'Whether the body is stored. The log samples the bodies of accepted pushes while many arrive',
  }),
  skipped: Type.Integer({
    description: 'The requests before this one that the log left out, because too many arrived',
  }),
}

export const LoggedRequest = Type.Object(members)

export const LoggedRequestDetails = Type.Object({
  ...members,
  headers: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], {
    description: 'Without keys and addresses; null if they are not stored',
  }),
  body: described(NullableString, 'As text, without keys; null if it is not stored (`body_kept`)'),
  response: described(NullableString, 'The body of the response as text; null if it is not stored'),
})

/** Selects logged requests; a missing member matches all. */
export const LoggedRequestFilter = Type.Object({
  platform: Type.Optional(
    RequestText({
      description:
        'A `platform_name`: requests with its keys, and those without a valid key that probably come from it (by the beginning of the key or the address)',
    }),
  ),
  record_type: Type.Optional(RequestText()),
  status: Type.Optional(
    RequestText({
      pattern: '^[1-5](?:xx|\\d\\d)$',
      description: 'A class such as `4xx`, or a status such as `422`',
    }),
  ),
  request_id: Type.Optional(RequestText()),
  since: Type.Optional(RequestText({ description: 'RFC 3339' })),
  until: Type.Optional(RequestText({ description: 'RFC 3339' })),
})

export const LoggedRequestPage = Type.Object({
  success: Type.Literal(true),
  requests: Type.Array(LoggedRequest),
  next_cursor: described(
    NullableString,
    'Continues the list; a page may have fewer requests than `limit`, even none, before the end. Null at the end',
  ),
  newest_cursor: Type.String({
    description: 'For `after`: where reading the requests that are logged later begins',
  }),
})

/** The number of logged requests by class of status. */
export const LoggedRequestCounts = Type.Object({
  success: Type.Literal(true),
  counts: Type.Object({
    all: Type.Integer(),
    '2xx': Type.Integer(),
    '4xx': Type.Integer(),
    '5xx': Type.Integer(),
  }),
  complete: Type.Boolean({
    description: 'False if counting took too long: the counts are of the newest requests then',
  }),
})

export type LoggedRequest = Static<typeof LoggedRequest>
export type LoggedRequestDetails = Static<typeof LoggedRequestDetails>
export type LoggedRequestFilter = Static<typeof LoggedRequestFilter>
export type LoggedRequestPage = Static<typeof LoggedRequestPage>
export type LoggedRequestCounts = Static<typeof LoggedRequestCounts>
