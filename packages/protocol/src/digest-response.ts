import Type, { type Static } from 'typebox'
import { MAX_DIGEST_DIGITS, MAX_VERSION_BYTES, SUM_MODULUS } from './digest.ts'

/** Beside `data` in an element of `records`: it changes whenever anything in the element changes. */
export const RecordVersion = Type.Union([
  Type.String({ minLength: 1, maxLength: MAX_VERSION_BYTES }),
  Type.Integer(),
])

/** A bucket: its prefix, the number of its records, and the sum of their contributions modulo 2^48. */
export const DigestBucket = Type.Tuple([
  Type.String({ pattern: '^[0-9a-f]{1,8}$', maxLength: MAX_DIGEST_DIGITS }),
  Type.Integer({ minimum: 1 }),
  Type.Union([
    Type.Integer({ minimum: 0, maximum: SUM_MODULUS - 1 }),
    Type.String({ pattern: '^[0-9]{1,15}$', maxLength: 15 }),
  ]),
])

/** The response of `GET {source}/api/hub/records/{record_type}/digest?digits=3[&prefix=3f4,a01]`. */
export const DigestResponse = Type.Object({
  success: Type.Literal(true),
  platform_name: Type.String(),
  record_type: Type.String(),
  digits: Type.Integer({ minimum: 1, maximum: MAX_DIGEST_DIGITS }),
  buckets: Type.Array(DigestBucket, {
    description: 'In any order, each bucket once; buckets without records are left out',
  }),
})

export type RecordVersion = Static<typeof RecordVersion>
export type DigestBucket = Static<typeof DigestBucket>
export type DigestResponse = Static<typeof DigestResponse>
