/** TypeScript writes declarations that import `.ts` files, which a published package does not contain. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes the declarations in a folder import `.js` files. */
export function fixDeclarations(folder: string): void {
  for (const path of globSync('**/*.d.ts', { cwd: folder })) {
    const file = join(folder, path)
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replaceAll(/(from\s+|import\()'(\.{1,2}\/[^']+)\.ts'/g, "$1'$2.js'"))
  }
}
