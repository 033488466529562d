/** Merges several scans into one. Reads each of them only as far as the merged order requires. */
import type { Position } from '../../port/record-list-store.ts'
import type { Compare } from './record-order.ts'
import { nextLimit, type RecordScan, type ScannedRecord } from './record-scan.ts'

type Source = {
  readStep: RecordScan['readStep']
  /** Records that have been read and not yet returned. */
  buffer: ScannedRecord[]
  /** The number of records that the prefilter excluded from the last step, until they are added to `examined`. */
  excluded: number
  /** The position after which the next step begins. */
  next: Position | null
  hasEnded: boolean
  limit: number
}

/** @param scans scans that read a whole list: their `size` is null. */
export function mergeScans(scans: RecordScan[], compare: Compare): RecordScan {
  const [first] = scans
  if (first && scans.length === 1) return first
  let sources: Source[] | null = null
  return {
    size: null,
    allMatch: false,
    async readStep(after, limit) {
      sources ??= scans.map(({ readStep }) => ({
        readStep,
        buffer: [],
        excluded: 0,
        next: after,
        hasEnded: false,
        limit: Math.ceil(limit / scans.length),
      }))
      for (const source of sources) {
        if (source.buffer.length === 0 && !source.hasEnded) await fillBuffer(source)
      }
      const end = findEnd(sources, compare)
      const records: ScannedRecord[] = []
      let excluded = 0
      for (const source of sources) {
        records.push(...takeUpTo(source.buffer, end, compare))
        if (source.buffer.length > 0) continue
        excluded += source.excluded
        source.excluded = 0
      }
      records.sort((one, other) => compare(one.position, other.position))
      return { records, examined: records.length + excluded, next: end }
    },
  }
}

async function fillBuffer(source: Source): Promise<void> {
  const step = await source.readStep(source.next, source.limit)
  source.buffer = step.records
  source.excluded = step.examined - step.records.length
  source.next = step.next
  source.hasEnded = step.next === null
  source.limit = nextLimit(source.limit, step)
}

/** Returns the first of the positions that the sources have reached; null if all sources have ended. */
function findEnd(sources: Source[], compare: Compare): Position | null {
  const ends = sources.flatMap(({ next }) => (next ? [next] : []))
  return ends.reduce<Position | null>(
    (first, end) => (first !== null && compare(first, end) <= 0 ? first : end),
    null,
  )
}

/** Removes the records up to a position from a buffer, and returns them; all records if the position is null. */
function takeUpTo(
  buffer: ScannedRecord[],
  end: Position | null,
  compare: Compare,
): ScannedRecord[] {
  const firstBeyond = buffer.findIndex(({ position }) => end !== null && compare(position, end) > 0)
  return buffer.splice(0, firstBeyond < 0 ? buffer.length : firstBeyond)
}
