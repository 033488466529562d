/** Random values that `npm test -- --seed <number>` repeats. */
import { env } from 'node:process'
import { createRandom, type Random } from '../../runner/random.ts'

/** The seed of the run. A file that runs without the runner gets a new seed. */
export const seed: number = Number(env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** A generator of numbers from 0 to 1, which choose test cases. */
export function createSeededRandom(): Random {
  return createRandom(seed)
}

/** One megabyte of text that exceeds the limits of an index even after compression. */
export function incompressibleText(random: Random): string {
  return Buffer.from(Array.from({ length: 786_432 }, () => random() * 256)).toString('base64')
}
