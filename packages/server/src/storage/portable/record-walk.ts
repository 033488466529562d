/**
 * Goes through records in an order, step by step, and keeps those that match, until there are enough or
 * the time is over. Between two steps everybody else has a turn.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Position } from '../port/record-list-store.ts'
import type { Compare } from './record-order.ts'
import type { SelectedRecord } from './record-rows.ts'

export type Found = { row: SelectedRecord; position: Position }

/** So many records in order, and where the next ones begin; null at the end. */
export type Step = { records: Found[]; next: Position | null }
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
const LARGEST_STEP = 1000

export async function walk(
  readStep: ReadStep,
  { after, limit, matches, until }: WalkOptions,
): Promise<Walk> {
  const found: Found[] = []
  let examined = 0
  let from = after
  const end = (stopped_at: Position | null): Walk => {
    return { found, examined, matched: found.length, stopped_at }
  }
  for (let size = matches ? FIRST_STEP : limit; ; size = Math.min(size * 2, LARGEST_STEP)) {
    const { records, next } = await readStep(from, size)
    for (const record of records) {
      examined += 1
      if (!matches || matches(record.row)) found.push(record)
      if (found.length === limit) return end(null)
    }
    if (next === null) return end(null)
    from = next
    if (performance.now() >= until) return end(from)
    await turn()
  }
}

/** The step that a page of rows makes; a page that is not full is the last one. */
export function toStep(records: Found[], limit: number): Step {
  const last = records.at(-1)
  return { records, next: last && records.length === limit ? last.position : null }
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
