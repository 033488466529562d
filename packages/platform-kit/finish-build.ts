/** The last step of the build: fixes the imports of the declarations, and adds the licence to the published package. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixDeclarations } from '../../release/fix-declarations.ts'

fixDeclarations(join(import.meta.dirname, 'dist'))
copyFileSync(new URL('../../LICENSE', import.meta.url), new URL('dist/LICENSE', import.meta.url))
