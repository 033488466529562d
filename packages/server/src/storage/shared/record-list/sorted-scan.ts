/** Reads all records, and sorts those that match by a field that has no index. */
import { type DataColumn, isFiltered } from '../../../domain/record/record-query.ts'
import { createPause } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type { Position } from '../../port/record-list-store.ts'
import { scanHubColumn } from './hub-column-scan.ts'
import { scanPositions } from './position-scan.ts'
import { createCompare, createMatches, createPositionOf } from './record-order.ts'
import {
  endOfScan,
  type RecordScan,
  type ResolvedQuery,
  readSteps,
  type ScanDeps,
} from './record-scan.ts'

/** @returns null if the deadline passes before all records are read. */
export async function scanSorted(
  deps: ScanDeps,
  resolved: ResolvedQuery,
  { sort, deadline }: { sort: DataColumn; deadline: number },
): Promise<RecordScan | null> {
  const { query, scope } = resolved
  const matches = isFiltered(query) ? createMatches(resolved) : null
  const compare = createCompare(query)
  const positionOf = createPositionOf(sort, scope)
  // More than a page contains, since records may be deleted before they are read again.
  const limit = 2 * query.limit + 1
  let positions: Position[] = []
  let matched = 0
  const end = endOfScan(deadline)
  const pause = createPause()

  const all = scanHubColumn(deps, resolved, { sort: 'record_id', descending: false })
  const unlimited = Number.POSITIVE_INFINITY
  const steps = readSteps(all, { after: null, firstStep: unlimited, maxRecords: () => unlimited })
  for await (const { records, next } of steps) {
    for (const { row } of records) {
      if (matches && !matches(row)) continue
      matched += 1
      const position = positionOf(row)
      if (query.after === null || compare(position, query.after) > 0) positions.push(position)
      if (positions.length > 4 * limit) positions = positions.sort(compare).slice(0, limit)
      if (performance.now() >= end) return null
      await pause()
    }
    if (next !== null && performance.now() >= deadline) return null
  }
  const nearest = positions.sort(compare).slice(0, limit)
  return scanPositions(deps, nearest, { compare, size: matched, allMatch: true })
}
