import type { Row } from './source.ts'

const INITIAL_ROWS = 10
const MAX_ROWS = 1000
const TARGET_CHARACTERS = 500_000

/** The number of rows to fetch next, based on the size of the last rows, so that wide rows take no more memory. */
export function nextBatchSize(last: readonly Row[] | null): number {
  if (!last || last.length === 0) return INITIAL_ROWS
  let characters = 1
  for (const row of last) {
    for (const cell of row) characters += typeof cell === 'string' ? cell.length : 8
  }
  const fitting = Math.floor((TARGET_CHARACTERS * last.length) / characters)
  return Math.max(1, Math.min(MAX_ROWS, last.length * 4, fitting))
}
