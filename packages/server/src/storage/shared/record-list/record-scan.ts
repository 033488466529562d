/**
 * Goes through records in an order, step by step, and keeps those that match, until there are enough or
 * the time is over. Between two steps everybody else has a turn.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Position } from '../../port/record-list-store.ts'
import type { SelectedRecord } from '../records/record-rows.ts'

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
  /** How many to find, unless they are large: one more than {@link fillPage} takes is enough. */
  limit: number
  /** Null where all do. */
  matches: Matches | null
  /** As `performance.now()` tells the time. One step is made whatever it is. */
  until: number
}

const FIRST_STEP = 64
const LARGEST_STEP = 2000
/** Of data that is read in one step, in UTF-16 units. */
const STEP_SIZE = 4_000_000
/** Of data on a page, in UTF-16 units: it ends with the record that reaches it. */
const PAGE_SIZE = 8_000_000

/** @param readStep reads so many records from a position on. */
export async function walk(
  readStep: ReadStep,
  { after, limit, matches, until }: WalkOptions,
): Promise<Walk> {
  const found: Found[] = []
  let examined = 0
  let from = after
  let held = 0
  let size = Math.min(FIRST_STEP, matches ? 4 * limit : limit)
  const end = (stopped_at: Position | null): Walk => {
    return { found, examined, matched: found.length, stopped_at }
  }
  for (;;) {
    const step = await readStep(from, size)
    for (const [index, record] of step.records.entries()) {
      if (matches && !matches(record.row)) continue
      const isBeyond = held >= PAGE_SIZE
      found.push(record)
      held += record.row.data.length
      if (found.length < limit && !isBeyond) continue
      const share = (index + 1) / step.records.length
      examined += Math.max(1, Math.round(step.examined * share))
      return end(null)
    }
    examined += step.examined
    if (step.next === null) return end(null)
    from = step.next
    if (performance.now() >= until) return end(from)
    size = nextSize(size, step)
    if (!matches) size = Math.min(size, limit - found.length)
    await turn()
  }
}

/** As many of what was found as a page takes. */
export function fillPage(found: Found[], limit: number): Found[] {
  const page: Found[] = []
  let held = 0
  for (const one of found) {
    if (page.length === limit || held >= PAGE_SIZE) break
    page.push(one)
    held += one.row.data.length
  }
  return page
}

/** Twice as many as before, unless they are so large that they would fill the memory. */
export function nextSize(size: number, { records }: Step): number {
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
