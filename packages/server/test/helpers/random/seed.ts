/** Random values that `npm test -- --seed <number>` repeats. */
import { env } from 'node:process'
import { createRandom, type Random } from '../../runner/random.ts'

/** The seed of the run. A file that is run without the runner gets a new one. */
export const seed: number = Number(env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** Numbers from 0 to 1 for choosing test cases. */
export function createSeededRandom(): Random {
  return createRandom(seed)
}

/** One megabyte of text that compression does not shorten below the limits of an index. */
export function incompressibleText(random: Random): string {
  return Buffer.from(Array.from({ length: 786_432 }, () => random() * 256)).toString('base64')
}
