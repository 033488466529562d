/** The records of a revert, with the write that keeps each kept one. */
import type { RevertRecord } from '@recordhub/protocol'
import { sql } from 'kysely'
import { parseChanges } from '../../../domain/record/record-history.ts'
import { splitByBytes } from '../../../lib/collections/pagination.ts'
import type { RevertStore } from '../../port/revert-store.ts'
import { isVisible } from '../records/module-scope.ts'
import type { Executor } from '../schema/databases.ts'

export async function listRevertRecords(
  db: Executor,
  { revert_id, outcome, limit, after }: Parameters<RevertStore['listRecords']>[0],
): Promise<RevertRecord[]> {
  let select = db
    .selectFrom('revert_records as w')
    .innerJoin('records as r', 'r.record_id', 'w.record_id')
    .innerJoin('modules as m', 'm.module_id', 'r.module_id')
    .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
    .select([
      ...(['w.record_id', 'w.platform_id', 'p.platform_name', 'm.record_type'] as const),
      ...(['m.module_name', 'r.reference_number', 'r.full_name', 'w.outcome'] as const),
      ...(['w.done', 'w.creates', 'w.kept_path', 'w.decided_seq', 'w.reason'] as const),
    ])
    .where('w.revert_id', '=', revert_id)
    .where(isVisible('r'))
  if (outcome !== null) {
    const { started_at, finished_at } = await db
      .selectFrom('reverts')
      .select(['started_at', 'finished_at'])
      .where('revert_id', '=', revert_id)
      .executeTakeFirstOrThrow()
    select = select.where('w.outcome', '=', outcome)
    if (started_at !== null && finished_at !== null) select = select.where('w.done', '=', 1)
  }
  if (after !== null) select = select.where('w.record_id', '>', after)
  const rows = await select.orderBy('w.record_id').limit(limit).execute()
  const records: RevertRecord[] = []
  for (const row of rows) {
    const { platform_id, kept_path, decided_seq, done, creates, ...record } = row
    const { record_id } = record
    const kept =
      kept_path === null
        ? null
        : await findWriter(db, { platform_id, record_id, path: kept_path, decided_seq })
    records.push({ ...record, done: done === 1, creates: creates === 1, kept })
  }
  return records
}

/** Entries examined for the write that keeps a record; an older one is not named. */
const MAX_ENTRIES = 200
/** The maximum size of the changes that are read at once; a single entry may be larger. */
const MAX_BYTES = 1_000_000

async function findWriter(
  db: Executor,
  found: { platform_id: number; record_id: number; path: string; decided_seq: number },
): Promise<NonNullable<RevertRecord['kept']>> {
  const { platform_id, record_id, path, decided_seq } = found
  const ofRecord = db
    .selectFrom('record_history')
    .where((eb) => eb.and({ platform_id, record_id }))
    .where('change_seq', '<=', decided_seq)
    .orderBy('change_seq', 'desc')
  const sizes = await ofRecord
    .select(['change_seq', sql<number>`octet_length(changes)`.as('bytes')])
    .limit(MAX_ENTRIES)
    .execute()
  for (const some of splitByBytes(sizes, MAX_BYTES)) {
    const entries = await ofRecord
      .select(['at', 'source', 'changes', 'pull_id', 'request_id', 'revert_id'])
      .where('change_seq', '<=', some[0]?.change_seq ?? 0)
      .limit(some.length)
      .execute()
    for (const { changes, ...entry } of entries) {
      if (parseChanges(changes).some((change) => change.path === path)) return { path, ...entry }
    }
  }
  const unknown = { source: null, at: null, pull_id: null, request_id: null, revert_id: null }
  return { path, ...unknown }
}
