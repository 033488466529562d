/** Compares the records of a restored copy with those of the hub, while the hub changes. */
import { isDeepStrictEqual } from 'node:util'
import type { DrillReport } from '@recordhub/protocol'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { ChangeRow, ChangeStore, RecordRow } from '../../storage/port/record-store.ts'

const PAGE = 200
const PAGE_BYTES = 4 * 1024 * 1024

export type Comparison = Pick<
  DrillReport,
  'records' | 'equal' | 'changed_since' | 'deleted_since' | 'different' | 'absent'
>

type RecordChange = Extract<ChangeRow, { record: RecordRow }>

/**
 * Follows both feeds of changes, in which a record appears once, with its latest change. A change that is in both must
 * have the same content. A record that is only in the copy was changed or deleted since.
 * @param position the copy contains every change up to it.
 */
export async function compareCopy(
  copy: Pick<ChangeStore, 'listChanges'>,
  live: {
    changes: Pick<ChangeStore, 'listChanges'>
    readRecord: (recordId: number) => Promise<RecordRow | null>
  },
  position: number,
  onRecord: (compared: number) => void,
): Promise<Comparison> {
  const result = {
    records: 0,
    equal: 0,
    changed_since: 0,
    deleted_since: 0,
    different: 0,
    absent: 0,
  }
  const current = readChanges(live.changes)
  let next = await current.next()
  for await (const change of readChanges(copy)) {
    result.records += 1
    onRecord(result.records)
    while (!next.done && next.value.change_seq < change.change_seq) {
      if (next.value.change_seq <= position) result.absent += 1
      next = await current.next()
    }
    if (!next.done && next.value.change_seq === change.change_seq) {
      const isEqual = isDeepStrictEqual(contentOf(next.value.record), contentOf(change.record))
      if (isEqual) result.equal += 1
      else result.different += 1
      next = await current.next()
    } else if (await live.readRecord(change.record.record_id)) result.changed_since += 1
    else result.deleted_since += 1
  }
  while (!next.done && next.value.change_seq <= position) {
    result.absent += 1
    next = await current.next()
  }
  await current.return(undefined)
  return result
}

/**
 * What a change of its own changes. The times of pulls and pushes without a change, and the names of the platform and the
 * module, which can be changed, are left out.
 */
function contentOf({ record_id, record_type, ...record }: RecordRow): unknown {
  const { reference_number, full_name, data, created_at, updated_at } = record
  return {
    record_id,
    record_type,
    reference_number,
    full_name,
    data,
    created_at,
    updated_at,
  }
}

async function* readChanges({
  listChanges,
}: Pick<ChangeStore, 'listChanges'>): AsyncGenerator<RecordChange, void> {
  for (let after = 0; ; ) {
    const query = { platform: null, record_type: null, after, limit: PAGE, maxBytes: PAGE_BYTES }
    const page = await listChanges(query)
    if (page.outcome === 'beyond') return
    for (const change of page.changes) if ('record' in change) yield change
    if (!page.has_more) return
    after = page.through
    await yieldToEventLoop()
  }
}
