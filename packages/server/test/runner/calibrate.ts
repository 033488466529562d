import { createHash } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'

/** The duration of {@link timeFixedWork} on the reference machine. */
const REFERENCE_MS = 60
const ROUNDS = 5

/**
 * @returns the factor by which this machine is slower than the reference machine, at least 1. The time limits of
 * guards against hanging tests are multiplied by it. The load of other programs is included.
 */
export function measureSlowness(): number {
  const times = Array.from({ length: ROUNDS }, timeFixedWork).toSorted((one, other) => one - other)
  const median = times[Math.floor(ROUNDS / 2)] ?? REFERENCE_MS
  const load = (loadavg()[0] ?? 0) / availableParallelism()
  return Math.max(1, median / REFERENCE_MS) * Math.max(1, load)
}

function timeFixedWork(): number {
  const start = performance.now()
  let text = ''
  for (let index = 0; index < 20_000; index += 1)
    text += JSON.stringify({ index, text: 'x'.repeat(20) })
  for (let round = 0; round < 20; round += 1) createHash('sha256').update(text).digest('hex')
  return performance.now() - start
}
