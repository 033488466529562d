import Type, { type Static } from 'typebox'
import { described, NullableInteger, NullableString, NullableTimestamp, OneOf } from './common.ts'

/**
 * Why a read does not verify that the hub has all records: the platform sent no `success`; it sent no total; the total differs from the number of
 * records; records were rejected; records are held, because a revert has taken back what the platform still has; records that the read did not contain wait for another read or a review. Pushes that are newer
 * than the read are no reason: they are counted (`pushed_since`).
 */
export const IncompleteReason = OneOf(
  'no_success',
  'no_total',
  'total_differs',
  'rejected',
  'missing_undecided',
  'held',
)

export const ConfirmedBy = OneOf('etag', 'last_modified')

/** What the hub knows about the versions of a module and the digests of its platform. */
const ModuleDigestState = Type.Object({
  unversioned: described(
    NullableInteger,
    'Records of the last full read without a version; with any, the digest is not used',
  ),
  not_stable: Type.Boolean({
    description:
      'Whether versions change without a change of content, so that they are not used until the manifest changes',
  }),
  withdrawn_at: described(
    NullableTimestamp,
    'When a read found content that had changed although its version had not; null if the last full read did not',
  ),
  withdrawn_records: described(NullableInteger, 'The number of these records'),
  withdrawn_reference: described(NullableString, 'The reference number of the first of them'),
  asked_at: described(NullableTimestamp, 'When the digest was last requested'),
  digest_ms: described(
    NullableInteger,
    'How long the platform took for it and for the records that differed, in milliseconds',
  ),
  next_at: described(
    NullableTimestamp,
    'The digest is not requested before, so that the platform spends at most 5 % of its time on it',
  ),
})

/** Whether the hub has all records of a registered module, and what has changed since it was verified. */
export const ModuleCompleteness = Type.Object({
  module_id: Type.Integer(),
  platform_name: Type.String(),
  module_name: Type.String(),
  record_type: Type.String(),
  complete_at: described(NullableTimestamp, 'When a response with a body last verified it'),
  confirmed_at: described(
    NullableTimestamp,
    'When the platform last responded with 304, that the last response with a body is unchanged; null if it has not since then',
  ),
  confirmed_by: Type.Union([ConfirmedBy, Type.Null()], {
    description: 'The condition to which the platform responded with 304',
  }),
  verified_at: described(
    NullableTimestamp,
    'When both sides were last proved to be equal: by reading all records, or by the digest, which proves the same versions',
  ),
  verified_by: Type.Union([OneOf('read', 'digest'), Type.Null()]),
  verified: Type.Union(
    [
      Type.Object({
        records: Type.Integer({
          description: 'Records of the platform that are stored with the same version',
        }),
        of: Type.Integer({ description: 'Records of the platform' }),
        explained: Type.Integer({
          description:
            'Differences with a known reason: rejected, accepted, erased, held or under review',
        }),
      }),
      Type.Null(),
    ],
    { description: 'The counts of the last comparison by digest; null without one' },
  ),
  digest: Type.Union([ModuleDigestState, Type.Null()], {
    description: 'Null for a module whose records have no versions',
  }),
  last_read_at: described(
    NullableTimestamp,
    'When a complete read last ended, with a body or with 304',
  ),
  incomplete_reasons: Type.Array(IncompleteReason, {
    description:
      'Why the last complete read did not verify it; after a digest with the same versions, why the hub does not have all records nevertheless',
  }),
  last_error: described(
    NullableString,
    'Why the last pull of the module failed; null if it succeeded',
  ),
  last_warning: described(
    NullableString,
    'The warnings of the last pull of the module if it succeeded',
  ),
  listed: described(
    NullableInteger,
    'Records of the platform: those of its last list, rejected ones included, or those that its last digest counted; null before the first',
  ),
  records: Type.Integer({ description: 'Stored records, with those marked as missing' }),
  missing: Type.Integer({ description: 'Records marked as missing' }),
  accepted: Type.Integer({
    description:
      'Rejected records that an operator has accepted as exceptions. They do not prevent the verification',
  }),
  held: Type.Integer({
    description:
      'Records that differ from the platform because a revert has taken back what it sent, until it sends other values',
  }),
  pushed_since: described(
    NullableInteger,
    'Pushes, replays and erasures that are newer than `verified_at`, or that came so shortly before it that the list of the platform may not contain them yet',
  ),
  only_here: described(
    NullableInteger,
    'Stored records, not marked as missing, that the last complete read or digest did not contain, not even as rejected elements',
  ),
})

export const CompletenessPage = Type.Object({
  success: Type.Literal(true),
  modules: Type.Array(ModuleCompleteness),
  next_cursor: NullableString,
})

export type ConfirmedBy = Static<typeof ConfirmedBy>
export type IncompleteReason = Static<typeof IncompleteReason>
export type ModuleCompleteness = Static<typeof ModuleCompleteness>
