/** The buckets that stay different after a read, and the events that end what explained them. */
import { sql } from 'kysely'
import type { DisagreeingModule } from '../../../domain/inbox/inbox.ts'
import type { DigestStore, RememberedBucket } from '../../port/digest-store.ts'
import type { ModuleRef } from '../../port/record-list-store.ts'
import type { Executor } from '../schema/databases.ts'

/** As `DigestStore.listRemembered`. */
export async function listRemembered(
  db: Executor,
  { platform_id, module_id }: ModuleRef,
): Promise<RememberedBucket[]> {
  const rows = await db
    .selectFrom('digest_buckets')
    .select(REMEMBERED)
    .where((eb) => eb.and({ platform_id, module_id }))
    .orderBy('prefix')
    .execute()
  return rows.map((row) => ({ ...row }))
}

/** As `DigestStore.remember`, in a transaction. */
export async function remember(
  db: Executor,
  module: ModuleRef,
  { save, delete: deleted, epoch }: Parameters<DigestStore['remember']>[1],
): Promise<boolean> {
  const isCurrent = await lockEpoch(db, module, epoch)
  await deleteBuckets(db, module, deleted)
  if (isCurrent) for (const bucket of save) await saveBucket(db, module, bucket)
  return isCurrent
}

/** As `DigestStore.listDisagreements`. */
export async function listDisagreements(db: Executor): Promise<DisagreeingModule[]> {
  const rows = await db
    .selectFrom('digest_buckets as d')
    .innerJoin('modules as m', 'm.module_id', 'd.module_id')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.module_id', 'm.platform_id', 'm.record_type', 'm.module_name'])
    .select(['d.reference_number', 'd.version', 'd.since', 'd.at'])
    .where('d.state', '=', 'disagreement')
    .where('d.reference_number', 'is not', null)
    .where('m.registered_at', 'is not', null)
    .where('p.status', '=', 'active')
    .orderBy('m.module_id')
    .orderBy('d.prefix')
    .execute()
  return [...Map.groupBy(rows, ({ module_id }) => module_id).values()].flatMap((buckets) => {
    // A bucket whose list is empty has no record to name.
    const first = buckets.find(({ reference_number }) => reference_number !== '') ?? buckets[0]
    if (!first) return []
    const { platform_id, record_type, module_name, reference_number, version } = first
    const since = buckets.map((bucket) => bucket.since).sort()[0] ?? first.since
    const last_at =
      buckets
        .map(({ at }) => at)
        .sort()
        .at(-1) ?? first.at
    const module = { platform_id, record_type, module_name }
    const named = { reference_number: reference_number ?? '', version }
    return [{ ...module, ...named, buckets: buckets.length, since, last_at }]
  })
}

async function saveBucket(
  db: Executor,
  { platform_id, module_id }: ModuleRef,
  { prefix, ...bucket }: RememberedBucket,
): Promise<void> {
  await db
    .insertInto('digest_buckets')
    .values({ platform_id, module_id, prefix, ...bucket })
    .onConflict((conflict) =>
      conflict.columns(['platform_id', 'module_id', 'prefix']).doUpdateSet(bucket),
    )
    .execute()
}

/** Prefixes that one statement deletes. */
const PREFIXES_PER_DELETE = 500

async function deleteBuckets(
  db: Executor,
  { platform_id, module_id }: ModuleRef,
  prefixes: readonly string[] | 'all',
): Promise<void> {
  const remove = db.deleteFrom('digest_buckets').where((eb) => eb.and({ platform_id, module_id }))
  if (prefixes === 'all') {
    await remove.execute()
    return
  }
  for (let start = 0; start < prefixes.length; start += PREFIXES_PER_DELETE) {
    const some = prefixes.slice(start, start + PREFIXES_PER_DELETE)
    await remove.where('prefix', 'in', some).execute()
  }
}

/** Whether the epoch of a module is still this one. If so, it stays so until the transaction ends. */
export async function lockEpoch(
  db: Executor,
  { module_id }: ModuleRef,
  digest_epoch: number,
): Promise<boolean> {
  const locked = await db
    .updateTable('modules')
    .set({ digest_epoch })
    .where((eb) => eb.and({ module_id, digest_epoch }))
    .executeTakeFirst()
  return locked.numUpdatedRows > 0n
}

async function beginEpoch(db: Executor, moduleIds: readonly number[]): Promise<void> {
  await db
    .updateTable('modules')
    .set({ digest_epoch: sql`digest_epoch + 1` })
    .where('module_id', 'in', moduleIds)
    .execute()
}

/** Deletes what names an erased record: the bucket is read again, and the claim says that it was withdrawn without a name. */
export async function deleteDigestReference(
  db: Executor,
  { platform_id, module_id, reference_number }: ModuleRef & { reference_number: string },
): Promise<void> {
  await beginEpoch(db, [module_id])
  await db
    .deleteFrom('digest_buckets')
    .where((eb) => eb.and({ platform_id, module_id, reference_number }))
    .execute()
  await db
    .updateTable('module_digests')
    .set({ withdrawn_reference: null })
    .where((eb) => eb.and({ platform_id, module_id, withdrawn_reference: reference_number }))
    .execute()
}

/**
 * Deletes the explained buckets of modules, so that the next pull reads them, and a running pull remembers none: an
 * explanation has ended that neither side's sums show, such as an erasure or a hold.
 */
export async function endExplanations(db: Executor, moduleIds: readonly number[]): Promise<void> {
  if (moduleIds.length === 0) return
  await beginEpoch(db, moduleIds)
  await db
    .deleteFrom('digest_buckets')
    .where('module_id', 'in', moduleIds)
    .where('state', '=', 'explained')
    .execute()
}

const REMEMBERED = [
  ...(['prefix', 'state', 'remote_count', 'remote_sum', 'local_count', 'local_sum'] as const),
  ...(['explained', 'not_stored', 'rejected', 'reference_number', 'version'] as const),
  ...(['since', 'at'] as const),
]
