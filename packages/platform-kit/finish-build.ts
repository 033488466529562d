/** The last step of the build: fixes the imports of the declarations, and adds the licence to the published package. */
import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs'

// TypeScript writes declarations that import `.ts` files, which the package does not contain.
for (const path of globSync('dist/*.d.ts', { cwd: import.meta.dirname })) {
  const file = new URL(path, import.meta.url)
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replaceAll(/(from\s+|import\()'(\.\/[^']+)\.ts'/g, "$1'$2.js'"))
}
copyFileSync(new URL('../../LICENSE', import.meta.url), new URL('dist/LICENSE', import.meta.url))
