/** Merges several scans into one. Reads each of them only as far as the merged order requires. */
import type { Position } from '../../port/record-list-store.ts'
import type { Compare } from './record-order.ts'
import { nextLimit, type RecordScan, type ScannedRecord } from './record-scan.ts'

type Source = {
  readStep: RecordScan['readStep']
  /** Records that were read and not yet returned. */
  buffer: ScannedRecord[]
  /** The number of records that the database has read and filtered out, and that are not yet reported. */
  filteredOut: number
  /** The position after which the next step begins. */
  next: Position | null
  hasEnded: boolean
  limit: number
}

/** Each of the scans must read the whole of its list. */
export function mergeScans(scans: RecordScan[], compare: Compare): RecordScan {
  const [first] = scans
  if (first && scans.length === 1) return first
  let sources: Source[] | null = null
  return {
    subset: null,
    async readStep(after, limit) {
      sources ??= scans.map(({ readStep }) => ({
        readStep,
        buffer: [],
        filteredOut: 0,
        next: after,
        hasEnded: false,
        limit: Math.ceil(limit / scans.length),
      }))
      for (const source of sources) {
        if (source.buffer.length === 0 && !source.hasEnded) await fillBuffer(source)
      }
      const end = findEnd(sources, compare)
      const records: ScannedRecord[] = []
      let filteredOut = 0
      for (const source of sources) {
        records.push(...takeUpTo(source.buffer, end, compare))
        if (source.buffer.length > 0) continue
        filteredOut += source.filteredOut
        source.filteredOut = 0
      }
      records.sort((one, other) => compare(one.position, other.position))
      return { records, examined: records.length + filteredOut, next: end }
    },
  }
}

async function fillBuffer(source: Source): Promise<void> {
  const step = await source.readStep(source.next, source.limit)
  source.buffer = step.records
  source.filteredOut = step.examined - step.records.length
  source.next = step.next
  source.hasEnded = step.next === null
  source.limit = nextLimit(source.limit, step)
}

/** The first position up to which some source has been read; null if all of them have ended. */
function findEnd(sources: Source[], compare: Compare): Position | null {
  const ends = sources.flatMap(({ next }) => (next ? [next] : []))
  return ends.reduce<Position | null>(
    (first, one) => (first !== null && compare(first, one) <= 0 ? first : one),
    null,
  )
}

function takeUpTo(buffer: ScannedRecord[], end: Position | null, compare: Compare) {
  const rest = buffer.findIndex(({ position }) => end !== null && compare(position, end) > 0)
  return buffer.splice(0, rest < 0 ? buffer.length : rest)
}
