/** How the processor time of an interface grows with the size of its input. */
import assert from 'node:assert/strict'
import { cpuUsage } from 'node:process'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { memoizeAsync } from '../../src/lib/concurrency/memoize-async.ts'
import { type Family, familiesFor } from './families.ts'

/** The larger input is four times as large. Linear work takes four times as long, quadratic work sixteen times. */
const FACTOR = 4
const MAX_GROWTH = 6
const ROUNDS = 2
/** A measurement that shows growth is repeated: other work of the process disturbs some, but not all of them. */
const REPEATED_ROUNDS = 6

export type Interface = {
  name: string
  /** The size of the larger input in characters. */
  size: number
  /** Processes an input, and completes all work that it causes. */
  use: (input: string) => unknown
}

type Times = { smallMs: number; largeMs: number; ratio: number }
export type Growth = { name: string; family: string } & Times

/**
 * Asserts that the processor time of each interface grows at most {@link MAX_GROWTH} times with an input
 * {@link FACTOR} times as large. Reports the largest growth.
 */
export async function expectLinear(
  t: TestContext,
  interfaces: readonly Interface[],
  families: readonly Family[],
): Promise<void> {
  const found: Growth[] = []
  for (const [index, one] of interfaces.entries()) {
    for (const family of familiesFor(families, index)) {
      found.push(await measureGrowth(one, family))
    }
  }
  const [worst] = found.toSorted((one, other) => other.ratio - one.ratio)
  assert.ok(worst, 'No interface was tried')
  t.diagnostic(
    `${found.length} inputs of ${interfaces.length} interfaces; most growth: ${describe(worst)}`,
  )
  assert.deepEqual(found.filter(({ ratio }) => ratio > MAX_GROWTH).map(describe), [])
}

/** Measures one interface with one family. */
export async function measureGrowth(
  { name, size, use }: Interface,
  family: Family,
): Promise<Growth> {
  const [small, large] = [family.make(size / FACTOR), family.make(size)]
  const times = await compareTimes(
    () => use(small),
    () => use(large),
  )
  return { name, family: family.name, ...times }
}

/**
 * Asserts that work of four times the size takes at most {@link MAX_GROWTH} times the processor time.
 * @param prepare returns the work for a size. The time of `prepare` itself does not count.
 */
export async function assertLinear(
  size: number,
  prepare: (size: number) => () => unknown,
): Promise<void> {
  const times = await compareTimes(prepare(size), prepare(FACTOR * size))
  assert.ok(times.ratio <= MAX_GROWTH, describeTimes(times))
}

/**
 * The times of small and of large work. Less than the time of the fixed work counts as that time: it is constant cost and
 * noise, and an input that costs so little blocks nobody.
 */
async function compareTimes(small: () => unknown, large: () => unknown): Promise<Times> {
  const floorMs = await fixedWorkMs()
  let smallMs = 0
  let largeMs = await measureMs(large, 1)
  const times = () => {
    const least = Math.max(smallMs, floorMs)
    return { smallMs: least, largeMs, ratio: largeMs / least }
  }
  // However little time the small work takes, its time counts as that of the fixed work.
  if (times().ratio <= MAX_GROWTH) return times()
  smallMs = await measureMs(small, ROUNDS)
  largeMs = Math.min(largeMs, await measureMs(large, 1))
  if (times().ratio > MAX_GROWTH) {
    smallMs = Math.min(smallMs, await measureMs(small, REPEATED_ROUNDS))
    // As often: the least of fewer measurements would be larger.
    largeMs = Math.min(largeMs, await measureMs(large, REPEATED_ROUNDS))
  }
  return times()
}

/** The processor time of work that depends only on the machine: to read and write 1 MiB of JSON. */
const fixedWorkMs = memoizeAsync(() => {
  const text = JSON.stringify(
    Array.from({ length: 2 ** 16 }, (_, index) => `${index}`.padStart(12)),
  )
  return measureMs(() => JSON.stringify(JSON.parse(text)), REPEATED_ROUNDS)
})

/** The least processor time of several rounds in milliseconds. That of the threads of the process is included. */
async function measureMs(work: () => unknown, rounds: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) {
    const before = cpuUsage()
    await work()
    const { user, system } = cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
    // Injected requests use no event loop, and what they leave to it would be kept.
    await setImmediate()
  }
  return least
}

function describe({ name, family, ...times }: Growth): string {
  return `${name}, ${family}: ${describeTimes(times)}`
}

function describeTimes({ smallMs, largeMs, ratio }: Times): string {
  return `${smallMs.toFixed(1)} ms, then ${largeMs.toFixed(1)} ms (${ratio.toFixed(1)} times)`
}
