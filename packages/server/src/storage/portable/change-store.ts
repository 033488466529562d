import type { ChangeQuery, ChangeRow, ChangeStore } from '../port/change-store.ts'
import type { Databases, Executor } from './databases.ts'
import { type Place, selectPlaces } from './record-places.ts'
import { type SelectedRecord, selectRecords, toRecordRow } from './record-rows.ts'

type Sequence = {
  readMark: (db: Executor) => Promise<number>
  settledSequence: (db: Executor) => Promise<number>
}

export function createChangeStore({ reader }: Databases, sequence: Sequence): ChangeStore {
  return {
    async listChanges(query) {
      const { after, limit } = query
      // First: what is read after it has every change up to it.
      const settled = await sequence.settledSequence(reader)
      if (after > settled && after > (await sequence.readMark(reader))) return { outcome: 'beyond' }
      const range = { after, through: settled, limit: limit + 1 }
      const found = await readDeleted(reader, range, query)
      for (const place of await placesOf(reader, query)) {
        found.push(...(await readChanged(reader, range, place)))
      }
      const changes = found.sort((one, other) => one.change_seq - other.change_seq).slice(0, limit)
      const has_more = found.length > changes.length
      const through = has_more ? changes.at(-1)?.change_seq : settled
      return { outcome: 'found', changes, through: Math.max(after, through ?? 0), has_more }
    },
  }
}

type Range = { after: number; through: number; limit: number }

/** Over all records there is an index of changes, and one in each module; null for all of them. */
async function placesOf(db: Executor, query: ChangeQuery): Promise<(Place | null)[]> {
  const isEverywhere = query.platform === null && query.record_type === null
  return isEverywhere ? [null] : selectPlaces(db, query).execute()
}

async function readChanged(db: Executor, range: Range, place: Place | null): Promise<ChangeRow[]> {
  let select = selectRecords(db)
    .where('r.change_seq', '>', range.after)
    .where('r.change_seq', '<=', range.through)
  if (place) {
    select = select
      .where('r.platform_id', '=', place.platform_id)
      .where('r.module_id', '=', place.module_id)
  }
  const rows = await select.orderBy('r.change_seq').limit(range.limit).execute()
  return rows.map(toChange)
}

function toChange(row: SelectedRecord): ChangeRow {
  const { change_seq, updated_at: at } = row
  const change = row.created_at === at ? 'created' : 'updated'
  return { change, change_seq, at, record: toRecordRow(row) }
}

/** By names, since the platform or module may be no more. */
async function readDeleted(
  db: Executor,
  range: Range,
  { platform, record_type }: ChangeQuery,
): Promise<ChangeRow[]> {
  let select = db
    .selectFrom('record_deletions')
    .select(['change_seq', 'at', 'record_id', 'platform_name', 'record_type'])
    .where('change_seq', '>', range.after)
    .where('change_seq', '<=', range.through)
  if (platform !== null) select = select.where('platform_name', '=', platform)
  if (record_type !== null) select = select.where('record_type', '=', record_type)
  const rows = await select.orderBy('change_seq').limit(range.limit).execute()
  return rows.map((row) => ({ change: 'deleted', ...row }))
}
