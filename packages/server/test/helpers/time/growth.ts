/** How the time for an input grows with its size. The quotient of two times is the same on a slow machine. */
import assert from 'node:assert/strict'
import { cpuUsage } from 'node:process'

/** Four times, and half as much again for what grows slightly faster, such as the use of memory. */
const MAX_GROWTH = 6
const ROUNDS = 5

/**
 * Asserts that an input of four times the size takes at most six times the processor time of this process. Each size is
 * measured five times, and the shortest time counts.
 * @param prepare returns the work for a size. The time of `prepare` itself does not count.
 */
export async function assertLinear(
  size: number,
  prepare: (size: number) => () => unknown,
): Promise<void> {
  const [small, large] = [prepare(size), prepare(4 * size)]
  await small()
  let [shortest, longest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < ROUNDS; round++) {
    shortest = Math.min(shortest, await measure(small))
    longest = Math.min(longest, await measure(large))
  }
  const growth = longest / Math.max(shortest, MIN_MS)
  const times = `${shortest.toFixed(1)} and ${longest.toFixed(1)} ms`
  assert.ok(
    growth <= MAX_GROWTH,
    `4 times the size takes ${growth.toFixed(1)} times as long: ${times}`,
  )
}

/** Shorter times are not measured exactly. */
const MIN_MS = 1

async function measure(work: () => unknown): Promise<number> {
  const before = cpuUsage()
  await work()
  const { user, system } = cpuUsage(before)
  return (user + system) / 1000
}
