/** fast-check with the seed of the run. `test-rules.test.ts` checks that property tests import this file. */
import fc from 'fast-check'
import { seed } from './seed.ts'

fc.configureGlobal({ seed })

export { fc }
