/** The last step of the build: the licence goes with what is published. */
import { copyFileSync } from 'node:fs'

copyFileSync(new URL('../../LICENSE', import.meta.url), new URL('dist/LICENSE', import.meta.url))
