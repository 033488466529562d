import { createHash } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'

/** How long the work below takes on a healthy machine of the kind that the suite is timed on. */
const HEALTHY_MS = 60
const ROUNDS = 5

/**
 * How much slower than a healthy machine this one is, at least 1. Guards against hanging tests are multiplied
 * by it. A load from elsewhere makes the machine as much slower as it takes of its processors.
 */
export function measureSlowness(): number {
  const times = Array.from({ length: ROUNDS }, timeFixedWork).toSorted((one, other) => one - other)
  const median = times[Math.floor(ROUNDS / 2)] ?? HEALTHY_MS
  const crowding = (loadavg()[0] ?? 0) / availableParallelism()
  return Math.max(1, median / HEALTHY_MS) * Math.max(1, crowding)
}

function timeFixedWork(): number {
  const start = performance.now()
  let text = ''
  for (let index = 0; index < 20_000; index += 1)
    text += JSON.stringify({ index, text: 'x'.repeat(20) })
  for (let round = 0; round < 20; round += 1) createHash('sha256').update(text).digest('hex')
  return performance.now() - start
}
