/** fast-check with the seed of the run. Property tests import it from here; `test-rules.test.ts` checks that they do. */
import fc from 'fast-check'
import { seed } from './seed.ts'

fc.configureGlobal({ seed })

export { fc }
