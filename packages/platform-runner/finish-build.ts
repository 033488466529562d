/** The last step of the build: adds the licence to the published package. */
import { copyFileSync } from 'node:fs'

copyFileSync(new URL('../../LICENSE', import.meta.url), new URL('dist/LICENSE', import.meta.url))
