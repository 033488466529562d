import type { Row } from './source.ts'

const FIRST = 10
const MOST = 1000
const AIM_CHARACTERS = 500_000

/** How many rows to fetch next, by the size of those before: about the same memory for narrow and wide ones. */
export function nextBatchSize(last: readonly Row[] | null): number {
  if (!last || last.length === 0) return FIRST
  let characters = 1
  for (const row of last) {
    for (const cell of row) characters += typeof cell === 'string' ? cell.length : 8
  }
  const fitting = Math.floor((AIM_CHARACTERS * last.length) / characters)
  return Math.max(1, Math.min(MOST, last.length * 4, fitting))
}
