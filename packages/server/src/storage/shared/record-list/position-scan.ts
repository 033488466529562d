/** Reads the records at positions that are already known. */
import type { Position } from '../../port/record-list-store.ts'
import { selectRecords } from '../records/record-rows.ts'
import type { Compare } from './record-order.ts'
import type { RecordScan, ScanDeps, ScanStep } from './record-scan.ts'

/** @param positions all positions of the scan, in its order. */
export function scanPositions(
  deps: ScanDeps,
  positions: Position[],
  { compare, size, allMatch }: { compare: Compare; size: number; allMatch: boolean },
): RecordScan {
  return {
    size,
    allMatch,
    readStep(after, limit) {
      const start = positions.findIndex(
        (position) => after === null || compare(position, after) > 0,
      )
      const step = start < 0 ? [] : positions.slice(start, start + limit)
      return readAtPositions(deps, step, limit)
    },
  }
}

/** Returns a step of records. Records that have been deleted since the positions were read are left out. */
export async function readAtPositions(
  { db, dialect }: ScanDeps,
  positions: Position[],
  limit: number,
): Promise<ScanStep> {
  if (positions.length === 0) return { records: [], examined: 0, next: null }
  const ids = dialect.idList(positions.map(({ record_id }) => record_id))
  const rows = await selectRecords(db).where('r.record_id', 'in', ids).execute()
  const rowOf = new Map(rows.map((row) => [row.record_id, row]))
  const records = positions.flatMap((position) => {
    const row = rowOf.get(position.record_id)
    return row ? [{ row, position }] : []
  })
  const next = positions.length < limit ? null : (positions.at(-1) ?? null)
  return { records, examined: positions.length, next }
}
