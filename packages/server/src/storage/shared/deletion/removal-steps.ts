/** Deletes the records of a removed platform or of a module, step by step. */
import { sql } from 'kysely'
import { formatCount, type NewActivity } from '../../../domain/activity/activity.ts'
import { insertActivity } from '../activity/activity-rows.ts'
import { deleteRequests, findRequestsOf } from '../activity/request-batches.ts'
import { addToSums, DigestDeltas } from '../records/digest-deltas.ts'
import { deleteDigest } from '../records/digest-store.ts'
import { addToModule } from '../records/module-counts.ts'
import { IN_LIST_INDEX } from '../records/record-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { updateRows } from '../schema/rows.ts'
import { deleteHistory, deleteRejectedPushes, deleteSome, schedulePurge } from './delete-rows.ts'

/** Maximum number of rows deleted in one transaction. Pushes of other platforms wait for it. */
const STEP = 200
/** Smaller, since a rejected body may be a megabyte. */
const REJECTED_PUSH_STEP = 50

type RemovalRow = {
  removal_id: number
  platform_id: number
  module_id: number | null
  platform_name: string
  record_type: string | null
  removed: number
}

export type RemovalDeps = {
  allocateSequence: (db: Executor, count: number) => Promise<number[]>
  acquireLock: Databases['acquireLock']
  node: string
  at: string
}

/** Runs the next step. The last step deletes the rows of the platform itself and ends the removal. */
export async function runRemovalStep(
  db: Executor,
  removal: RemovalRow,
  deps: RemovalDeps,
): Promise<void> {
  if (await deleteRecords(db, removal, deps)) return
  if (removal.module_id === null) {
    if (await deleteRejected(db, removal)) return
    if (await deleteLoggedRequests(db, removal, deps)) return
    if (await deleteFigures(db, removal)) return
    await deletePlatformRows(db, removal)
  } else await deleteDigest(db, { platform_id: removal.platform_id, module_id: removal.module_id })
  await finishRemoval(db, removal, deps.at)
}

async function finishRemoval(db: Executor, removal: RemovalRow, at: string): Promise<void> {
  await updateRows(db, 'removals', { removal_id: removal.removal_id }, { finished_at: at })
  await insertActivity(db, at, describeEnd(removal))
}

function describeEnd(removal: RemovalRow): NewActivity {
  const { platform_id, platform_name, record_type, removed } = removal
  const details = { removal_id: removal.removal_id, record_type, records: removed }
  const platform = { platform_id, platform_name }
  if (record_type === null) {
    const message = `All data of ${platform_name} has been deleted: ${formatCount(removed, 'record')}`
    return { level: 'info', kind: 'platform.deleted', message, platform, details }
  }
  const message = `The records of ${record_type} of ${platform_name} have been deleted: ${removed}`
  return { level: 'info', kind: 'module.emptied', message, platform, details }
}

/** Deletes the latest changes first, so that they disappear from the lists of latest records. */
async function deleteRecords(
  db: Executor,
  removal: RemovalRow,
  { allocateSequence, node, at }: RemovalDeps,
): Promise<boolean> {
  const { platform_id, module_id, platform_name } = removal
  let select = db
    .selectFrom('records as r')
    .innerJoin('modules as m', 'm.module_id', 'r.module_id')
    .select(['r.record_id', 'm.record_type'])
    .where('r.platform_id', '=', platform_id)
    .where(IN_LIST_INDEX)
  if (module_id !== null) select = select.where('r.module_id', '=', module_id)
  const records = await select
    .orderBy('r.module_id', 'desc')
    .orderBy('r.change_seq', 'desc')
    .limit(STEP)
    .execute()
  if (records.length === 0) return false
  const types = new Map(records.map((record) => [record.record_id, record.record_type]))
  const ids = [...types.keys()]
  // Records are deleted in a later step, once their history is empty.
  if ((await deleteHistory(db, { platform_id, ids, limit: STEP })) > 0) return true

  for (const table of ['holds', 'revert_records'] as const) {
    await db.deleteFrom(table).where('record_id', 'in', ids).execute()
  }
  const deleted = await db
    .deleteFrom('records')
    .where('record_id', 'in', ids)
    .returning(['record_id', 'module_id', 'reference_hash', 'version_hash'])
    .execute()
  const numbers = await allocateSequence(db, deleted.length)
  const deletions = deleted.map((row, index) => ({
    change_seq: numbers[index] ?? 0,
    record_id: row.record_id,
    platform_id,
    module_id: row.module_id,
    platform_name,
    record_type: types.get(row.record_id) ?? '',
    at,
  }))
  if (deletions.length > 0) await db.insertInto('record_deletions').values(deletions).execute()
  // An anonymised record is now deleted as well, so its tombstone becomes that of an erased record.
  await updateRows(db, 'tombstones', { record_id: ids, mode: 'anonymise' }, { mode: 'erase' })
  if (module_id !== null) {
    const module = { platform_id, module_id }
    await addToModule(db, module, { records: -deleted.length }, node)
    const deltas = new DigestDeltas()
    for (const row of deleted) deltas.replace(module, row, null)
    await addToSums(db, deltas, node)
  }
  const removed = sql`removed + ${deleted.length}`
  await updateRows(db, 'removals', { removal_id: removal.removal_id }, { removed })
  // This row is locked last, as in the erasure of a record.
  const change_seq = numbers.at(-1)
  if (change_seq !== undefined) await schedulePurge(db, { platform_id, change_seq })
  return true
}

async function deleteRejected(db: Executor, { platform_id }: RemovalRow): Promise<boolean> {
  const rows = await db
    .selectFrom('rejected_pushes')
    .select('rejected_push_id')
    .where('platform_id', '=', platform_id)
    .orderBy('at')
    .limit(REJECTED_PUSH_STEP)
    .execute()
  const ids = rows.map((row) => row.rejected_push_id)
  if (ids.length === 0) return false
  await deleteRejectedPushes(db, platform_id, ids)
  return true
}

/** Deletes those of one batch. With the lock, none is saved that was checked before the removal. */
async function deleteLoggedRequests(
  db: Executor,
  { platform_id }: RemovalRow,
  { acquireLock }: RemovalDeps,
): Promise<boolean> {
  await acquireLock(db, 'request log')
  const ids = await findRequestsOf(db, platform_id)
  if (ids.length === 0) return false
  await deleteRequests(db, ids)
  return true
}

/** Deletes one day of counters, the drift or the sums of one module, or some manifest changes. */
async function deleteFigures(db: Executor, { platform_id }: RemovalRow): Promise<boolean> {
  const where = sql`platform_id = ${platform_id}`
  const counters = { table: 'hourly_counters', key: 'day', where, orderBy: 'day' } as const
  if ((await deleteSome(db, counters, 1)) > 0) return true
  const drift = { table: 'module_drift', key: 'module_id', where, orderBy: 'module_id' } as const
  if ((await deleteSome(db, drift, 1)) > 0) return true
  for (const table of ['digest_sums', 'digest_buckets'] as const) {
    const rows = { table, key: 'module_id', where, orderBy: 'module_id' } as const
    if ((await deleteSome(db, rows, 1)) > 0) return true
  }
  const key = 'manifest_change_id'
  return (await deleteSome(db, { table: 'manifest_changes', key, where, orderBy: key }, STEP)) > 0
}

async function deletePlatformRows(db: Executor, { platform_id }: RemovalRow): Promise<void> {
  const tables = [
    'push_errors',
    'push_addresses',
    'missing_candidates',
    'missing_reviews',
    'module_counters',
    'module_digests',
    'indexed_fields',
    'modules',
  ] as const
  for (const table of tables) {
    await db.deleteFrom(table).where('platform_id', '=', platform_id).execute()
  }
  const platform = await db
    .deleteFrom('platforms')
    .where('platform_id', '=', platform_id)
    .returning('source_key_secret_id')
    .executeTakeFirst()
  if (!platform) return
  const { source_key_secret_id } = platform
  await db.deleteFrom('secrets').where('secret_id', '=', source_key_secret_id).execute()
}
