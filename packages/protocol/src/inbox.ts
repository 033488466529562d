import Type, { type Static } from 'typebox'
import {
  ClosedObject,
  NullableInteger,
  NullableString,
  NullableTimestamp,
  OneOf,
  RequestText,
  Timestamp,
} from './common.ts'

/**
 * `failing`: something does not work now. `decision`: a person must decide. `soon`: it will fail unless somebody acts.
 */
export const InboxGroup = OneOf('failing', 'decision', 'soon')

/**
 * `pulls_failing`: the last pull of a module of a platform failed. `missing_review`: many records are missing. `rejected`:
 * pushes or pulled records that were rejected for the same reason. `push_errors`: requests of a platform with an invalid
 * key or an unreadable body. `drift`: records of a module that differ from its manifest. `disagreement`: the list and the
 * digest of a module disagree. `key_expiring`, `certificate_expiring`: see the health of a platform. `token_expiring`: an
 * API token expires within 7 days, or has expired and was used within the last 7 days. `no_backup`: no backup was made for
 * days. `alert`: any other alert.
 */
export const InboxKind = OneOf(
  'pulls_failing',
  'missing_review',
  'rejected',
  'push_errors',
  'drift',
  'disagreement',
  'key_expiring',
  'certificate_expiring',
  'token_expiring',
  'no_backup',
  'alert',
)

/** Who put an item aside. A snooze ends at `until`; an acknowledgement ends when the fault changes. */
const PutAside = Type.Object({
  as: OneOf('acknowledged', 'snoozed'),
  by: Type.String(),
  at: Timestamp,
  until: NullableTimestamp,
})

/** One fault that waits for a person. */
export const InboxItem = Type.Object({
  key: Type.String({ description: 'Identifies the fault as long as it lasts' }),
  kind: InboxKind,
  group: InboxGroup,
  title: Type.String(),
  reason: Type.String({ description: 'Why, in one line' }),
  platform: Type.Union([
    Type.Object({ id: Type.Integer(), platform_name: Type.String(), title: Type.String() }),
    Type.Null(),
  ]),
  since: NullableTimestamp,
  last_at: NullableTimestamp,
  alert_id: NullableInteger,
  missing_review_id: NullableInteger,
  record_type: NullableString,
  rejected: Type.Unsafe<{ cause: string; count: number; digest: string | null } | null>({
    anyOf: [
      {
        type: 'object',
        required: ['cause', 'count', 'digest'],
        properties: {
          cause: { type: 'string' },
          count: { type: 'integer' },
          digest: { ...NullableString },
        },
      },
      { type: 'null' },
    ],
    description: 'For `rejected`: the group, as in `GET /api/v1/rejected-pushes/groups`',
  }),
  put_aside: Type.Union([PutAside, Type.Null()]),
})

/** The response of `GET /api/v1/inbox`. */
export const Inbox = Type.Object({
  open: Type.Integer({ description: 'The number of items that are not put aside' }),
  put_aside: Type.Integer(),
  is_complete: Type.Boolean({
    description: 'Whether these are all items: false if a list of faults was longer than is read',
  }),
  items: Type.Array(InboxItem, { description: 'In their groups; open items first' }),
  read_at: Timestamp,
})

/** The body of `POST /api/v1/inbox/put-aside`. */
export const PutAsideRequest = ClosedObject({
  key: RequestText({ description: 'The `key` of the item' }),
  until: Type.Optional(
    Type.String({
      format: 'date-time',
      maxLength: 40,
      description: 'Snoozes the item until this time; without it, the item is acknowledged',
    }),
  ),
})

/** The body of `POST /api/v1/inbox/reopen`. */
export const ReopenItemRequest = ClosedObject({ key: RequestText() })

export type InboxKind = Static<typeof InboxKind>
export type InboxGroup = Static<typeof InboxGroup>
export type InboxItem = Static<typeof InboxItem>
export type Inbox = Static<typeof Inbox>
