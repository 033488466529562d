/** Reads several lists as one, in order: each of them only as far as the others make it necessary. */
import type { Position } from '../../port/record-list-store.ts'
import type { Compare } from './record-order.ts'
import { type Found, nextSize, type ReadStep } from './record-scan.ts'

type Source = {
  readStep: ReadStep
  /** What was read of it and comes later in the whole. */
  ahead: Found[]
  /** How many more were looked at for those. */
  passed: number
  /** Where it goes on; null at its end. */
  next: Position | null
  hasEnded: boolean
  size: number
}

/** The steps of the whole, each from where the one before it has ended. */
export function mergeSteps(lists: ReadStep[], compare: Compare): ReadStep {
  const [first] = lists
  if (first && lists.length === 1) return first
  let sources: Source[] | null = null
  return async (after, limit) => {
    const size = Math.ceil(limit / lists.length)
    const begin = { passed: 0, next: after, hasEnded: false, size }
    sources ??= lists.map((readStep) => ({ readStep, ahead: [], ...begin }))
    for (const source of sources) {
      if (source.ahead.length === 0 && !source.hasEnded) await readOn(source)
    }
    const known = sources.flatMap(({ next, hasEnded }) => (next && !hasEnded ? [next] : []))
    const bound = known.reduce<Position | null>(
      (least, one) => (least !== null && compare(least, one) <= 0 ? least : one),
      null,
    )
    const records: Found[] = []
    let passed = 0
    for (const source of sources) {
      const beyond = source.ahead.findIndex(
        ({ position }) => bound !== null && compare(position, bound) > 0,
      )
      records.push(...source.ahead.splice(0, beyond < 0 ? source.ahead.length : beyond))
      if (source.ahead.length > 0) continue
      passed += source.passed
      source.passed = 0
    }
    records.sort((one, other) => compare(one.position, other.position))
    return { records, examined: records.length + passed, next: bound }
  }
}

async function readOn(source: Source): Promise<void> {
  const step = await source.readStep(source.next, source.size)
  source.ahead = step.records
  source.passed = step.examined - step.records.length
  source.next = step.next
  source.hasEnded = step.next === null
  source.size = nextSize(source.size, step)
}
