/**
 * Goes through records in an order, step by step, and keeps those that match, until there are enough or
 * the time is over. Between two steps everybody else has a turn.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Position } from '../port/record-list-store.ts'
import type { Compare } from './record-order.ts'
import type { SelectedRecord } from './record-rows.ts'

export type Found = { row: SelectedRecord; position: Position }

/**
 * Records in order, how many were looked at for them, and where the next ones begin; null at the end.
 */
export type Step = { records: Found[]; examined: number; next: Position | null }
export type ReadStep = (after: Position | null, limit: number) => Promise<Step>

export type Matches = (row: SelectedRecord) => boolean

export type Walk = {
  found: Found[]
  /** How many records were looked at, and how many of them matched. */
  examined: number
  matched: number
  /** Where the time was over; null where there is no more, or enough was found. */
  stopped_at: Position | null
}

export type WalkOptions = {
  after: Position | null
  /** How many to find. */
  limit: number
  /** Null where all do. */
  matches: Matches | null
  /** As `performance.now()` tells the time. One step is made whatever it is. */
  until: number
}

const FIRST_STEP = 200
const LARGEST_STEP = 2000
/** Of data that is read in one step, in UTF-16 units. */
const STEP_SIZE = 4_000_000

export async function walk(
  readStep: ReadStep,
  { after, limit, matches, until }: WalkOptions,
): Promise<Walk> {
  const found: Found[] = []
  let examined = 0
  let from = after
  let size = matches ? Math.min(FIRST_STEP, 4 * limit) : limit
  const end = (stopped_at: Position | null): Walk => {
    return { found, examined, matched: found.length, stopped_at }
  }
  for (;;) {
    const step = await readStep(from, size)
    for (const [index, record] of step.records.entries()) {
      if (!matches || matches(record.row)) found.push(record)
      if (found.length < limit) continue
      const share = (index + 1) / step.records.length
      examined += Math.max(1, Math.round(step.examined * share))
      return end(null)
    }
    examined += step.examined
    if (step.next === null) return end(null)
    from = step.next
    if (performance.now() >= until) return end(from)
    size = nextSize(size, step)
    await turn()
  }
}

/** Twice as many as before, unless they are so large that they would fill the memory. */
function nextSize(size: number, { records }: Step): number {
  const read = records.reduce((sum, { row }) => sum + row.data.length, 0)
  const fitting = read === 0 ? LARGEST_STEP : Math.floor((STEP_SIZE / read) * size)
  return Math.max(1, Math.min(size * 2, fitting, LARGEST_STEP))
}

/** The step that a page of rows makes; a page that is not full is the last one. */
export function toStep(records: Found[], limit: number): Step {
  const last = records.at(-1)
  const next = last && records.length === limit ? last.position : null
  return { records, examined: records.length, next }
}

/**
 * Walks as one. What comes after the place where one of them had to stop cannot be told yet.
 */
export function mergeWalks(walks: Walk[], compare: Compare, limit: number): Walk {
  const stops = walks.flatMap((one) => one.stopped_at ?? []).sort(compare)
  const stop = stops[0] ?? null
  const found = walks
    .flatMap((one) => one.found)
    .filter(({ position }) => stop === null || compare(position, stop) <= 0)
    .sort((one, other) => compare(one.position, other.position))
    .slice(0, limit)
  const examined = walks.reduce((sum, one) => sum + one.examined, 0)
  const matched = walks.reduce((sum, one) => sum + one.matched, 0)
  return { found, examined, matched, stopped_at: found.length === limit ? null : stop }
}
