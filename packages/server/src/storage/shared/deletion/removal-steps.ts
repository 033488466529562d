/** The steps in which the records of a removed platform, or of a module, are deleted. */
import { sql } from 'kysely'
import { formatCount, type NewActivity } from '../../../domain/activity/activity.ts'
import { insertActivity } from '../activity/activity-rows.ts'
import { addToModule } from '../records/module-counts.ts'
import type { Executor } from '../schema/databases.ts'
import { dropHistoryOf } from './delete-history.ts'
import { dropRejected } from './delete-rejected-pushes.ts'
import { owePurge } from './purge.ts'

/** Rows of one kind in a transaction: pushes of others wait for no more than this. */
const STEP = 200
/** Each may be a megabyte. */
const REJECTED_STEP = 50

export type RemovalRow = {
  removal_id: number
  platform_id: number
  module_id: number | null
  platform_name: string
  record_type: string | null
  removed: number
}

export type StepParts = {
  nextNumbers: (db: Executor, count: number) => Promise<number[]>
  node: string
  at: string
}

/** Does the next step; where nothing is left, the last one. */
export async function doStep(db: Executor, removal: RemovalRow, parts: StepParts): Promise<void> {
  if (await removeRecords(db, removal, parts)) return
  if (removal.module_id === null) {
    if (await removeRejected(db, removal)) return
    if (await removeCounters(db, removal)) return
    if (await removeDrift(db, removal)) return
    if (await removeManifestChanges(db, removal)) return
    await removeRows(db, removal)
  }
  await finish(db, removal, parts.at)
}

async function finish(db: Executor, removal: RemovalRow, at: string): Promise<void> {
  await db
    .updateTable('removals')
    .set({ finished_at: at })
    .where('removal_id', '=', removal.removal_id)
    .execute()
  await insertActivity(db, at, describeEnd(removal))
}

function describeEnd(removal: RemovalRow): NewActivity {
  const { platform_id, platform_name, record_type, removed } = removal
  const details = { removal_id: removal.removal_id, record_type, records: removed }
  const platform = { platform_id, platform_name }
  if (record_type === null) {
    const message = `All that there was of ${platform_name} has been deleted: ${formatCount(removed, 'record')}`
    return { level: 'info', kind: 'platform.deleted', message, platform, details }
  }
  const message = `The records of ${record_type} of ${platform_name} have been deleted: ${removed}`
  return { level: 'info', kind: 'module.emptied', message, platform, details }
}

/** What changed last goes first, so that it leaves the lists of what is new. */
async function removeRecords(
  db: Executor,
  removal: RemovalRow,
  { nextNumbers, node, at }: StepParts,
): Promise<boolean> {
  const { platform_id, module_id, platform_name } = removal
  let select = db
    .selectFrom('records as r')
    .innerJoin('modules as m', 'm.module_id', 'r.module_id')
    .select(['r.record_id', 'm.record_type'])
    .where('r.platform_id', '=', platform_id)
    // True of every record; PostgreSQL's index is found by it.
    .where(sql<boolean>`r.pushed_seq >= 0`)
  if (module_id !== null) select = select.where('r.module_id', '=', module_id)
  const records = await select
    .orderBy('r.module_id', 'desc')
    .orderBy('r.change_seq', 'desc')
    .limit(STEP)
    .execute()
  if (records.length === 0) return false
  const types = new Map(records.map((record) => [record.record_id, record.record_type]))
  const ids = [...types.keys()]
  // What is left of it takes a step more.
  if ((await dropHistoryOf(db, { platform_id, ids, limit: STEP })) > 0) return true

  const gone = await db
    .deleteFrom('records')
    .where('record_id', 'in', ids)
    .returning(['record_id', 'module_id'])
    .execute()
  const numbers = await nextNumbers(db, gone.length)
  const deletions = gone.map(({ record_id, module_id: of }, index) => ({
    change_seq: numbers[index] ?? 0,
    record_id,
    platform_id,
    module_id: of,
    platform_name,
    record_type: types.get(record_id) ?? '',
    at,
  }))
  if (deletions.length > 0) await db.insertInto('record_deletions').values(deletions).execute()
  // Of what was anonymised nothing is left that a read could meet.
  await db
    .updateTable('tombstones')
    .set({ mode: 'erase' })
    .where('record_id', 'in', ids)
    .where('mode', '=', 'anonymise')
    .execute()
  if (module_id !== null) {
    await addToModule(db, { platform_id, module_id }, { records: -gone.length }, node)
  }
  await db
    .updateTable('removals')
    .set({ removed: sql`removed + ${gone.length}` })
    .where('removal_id', '=', removal.removal_id)
    .execute()
  // The last thing that is locked, as where a record is erased.
  const newest = numbers.at(-1)
  if (newest !== undefined) await owePurge(db, newest)
  return true
}

async function removeRejected(db: Executor, { platform_id }: RemovalRow): Promise<boolean> {
  const rows = await db
    .selectFrom('rejected_pushes')
    .select('rejected_push_id')
    .where('platform_id', '=', platform_id)
    .orderBy('at')
    .limit(REJECTED_STEP)
    .execute()
  const ids = rows.map((row) => row.rejected_push_id)
  if (ids.length === 0) return false
  await dropRejected(db, platform_id, ids)
  return true
}

/** A day at a time. */
async function removeCounters(db: Executor, { platform_id }: RemovalRow): Promise<boolean> {
  const counted = await db
    .selectFrom('hourly_counters')
    .select('day')
    .where('platform_id', '=', platform_id)
    .limit(1)
    .executeTakeFirst()
  if (!counted) return false
  await db
    .deleteFrom('hourly_counters')
    .where('platform_id', '=', platform_id)
    .where('day', '=', counted.day)
    .execute()
  return true
}

/** Of one module, as one node has counted it, at a time. */
async function removeDrift(db: Executor, { platform_id }: RemovalRow): Promise<boolean> {
  const counted = await db
    .selectFrom('module_drift')
    .select(['module_id', 'node'])
    .where('platform_id', '=', platform_id)
    .limit(1)
    .executeTakeFirst()
  if (!counted) return false
  await db
    .deleteFrom('module_drift')
    .where('platform_id', '=', platform_id)
    .where('module_id', '=', counted.module_id)
    .where('node', '=', counted.node)
    .execute()
  return true
}

async function removeManifestChanges(db: Executor, { platform_id }: RemovalRow): Promise<boolean> {
  const rows = await db
    .selectFrom('manifest_changes')
    .select('manifest_change_id')
    .where('platform_id', '=', platform_id)
    .orderBy('manifest_change_id')
    .limit(STEP)
    .execute()
  const ids = rows.map((row) => row.manifest_change_id)
  if (ids.length === 0) return false
  await db.deleteFrom('manifest_changes').where('manifest_change_id', 'in', ids).execute()
  return true
}

async function removeRows(db: Executor, { platform_id }: RemovalRow): Promise<void> {
  const tables = [
    'push_errors',
    'push_addresses',
    'missing_suspects',
    'missing_reviews',
    'module_counters',
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
