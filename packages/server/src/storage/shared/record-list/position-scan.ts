/** Reads the records at positions that are already known. */
import type { Position } from '../../port/record-list-store.ts'
import { selectRecords } from '../records/record-rows.ts'
import type { Compare } from './record-order.ts'
import type { RecordScan, ScanDeps, ScanStep } from './record-scan.ts'

/** @param positions all positions of the scan, in its order. */
export function scanPositions(
  deps: ScanDeps,
  positions: Position[],
  options: { compare: Compare; subset: RecordScan['subset'] },
): RecordScan {
  return {
    subset: options.subset,
    readStep(after, limit) {
      const index = positions.findIndex((one) => after === null || options.compare(one, after) > 0)
      const step = index < 0 ? [] : positions.slice(index, index + limit)
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
