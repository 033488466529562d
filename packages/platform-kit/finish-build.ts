/** The last step of the build: adds the declarations and the licence to the published package. */
import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isolatedDeclarationSync } from 'rolldown/experimental'

const from = (path: string) => new URL(path, import.meta.url)

// Every exported function has explicit types, so TypeScript itself, which `npm ci` does not install, is not needed.
const exclude = ['**/*.test.ts', '**/*.child.ts']
for (const path of globSync('src/*.ts', { cwd: import.meta.dirname, exclude })) {
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(from(path), 'utf8'))
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  // The package does not contain the `.ts` files.
  const text = code.replaceAll(/(from\s+|import\()"(\.\/[^"]+)\.ts"/g, '$1"$2.js"')
  writeFileSync(from(`dist/${basename(path, '.ts')}.d.ts`), text)
}
copyFileSync(from('../../LICENSE'), from('dist/LICENSE'))
