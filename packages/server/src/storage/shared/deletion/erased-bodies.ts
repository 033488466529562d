/** Finds refused bodies that name a record which was erased: they are not kept. */
import { MAX_REFERENCE_BYTES } from '@recordhub/protocol'
import { findReferences, type HashReference } from '../../../domain/record/erasure.ts'
import type { NewRejectedPush } from '../../port/rejected-push-store.ts'
import type { Executor } from '../schema/databases.ts'

/** A body with more texts would take long to look through, for which pushes wait: 30 µs each on a slow core. */
const MOST_HASHES = 1000

/** Whether a body names a record of the platform that was erased, or may do so among very many texts. */
export async function namesErased(
  db: Executor,
  { platform_id, record_type, body }: Pick<NewRejectedPush, 'platform_id' | 'record_type' | 'body'>,
  { platform_name, hashReference }: { platform_name: string; hashReference: HashReference },
): Promise<boolean> {
  const tombstoned = await db
    .selectFrom('tombstones')
    .select('record_type')
    .distinct()
    .where('platform_name', '=', platform_name)
    .execute()
  if (tombstoned.length === 0) return false
  const module = await db
    .selectFrom('modules')
    .select('record_type')
    .where('platform_id', '=', platform_id)
    .where('record_type', '=', record_type)
    .executeTakeFirst()
  // A module that there is not may be a slip.
  const types = module
    ? tombstoned.filter((type) => type.record_type === module.record_type)
    : tombstoned
  if (types.length === 0) return false
  const references = findReferences(body)
  if (references === null) return true
  const fitting = [...references].filter((text) => Buffer.byteLength(text) <= MAX_REFERENCE_BYTES)
  if (fitting.length * types.length > MOST_HASHES) return true
  const hashes = fitting.flatMap((reference_number) =>
    types.map((type) => hashReference({ ...type, platform_name, reference_number })),
  )
  if (hashes.length === 0) return false
  const tombstone = await db
    .selectFrom('tombstones')
    .select('tombstone_id')
    .where('reference_hash', 'in', hashes)
    .executeTakeFirst()
  return tombstone !== undefined
}
