/** fast-check with the seed of the run. `test-rules.test.ts` checks that property tests import this file. */
import fc from 'fast-check'
import { seed } from './seed.ts'

fc.configureGlobal({ seed })

/**
 * Any code point except surrogates, for `fc.string({ unit: codePoint })`. Building the unit 'binary' of fast-check, which
 * generates the same, takes more than a second of processor time in each process.
 */
export const codePoint = fc
  .nat({ max: 0x10ffff - 0x800 })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800))

export { fc }
