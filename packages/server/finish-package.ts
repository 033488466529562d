/** The last step of `npm run package`: `dist/package/` becomes the published package. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fixDeclarations } from '../../release/fix-declarations.ts'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const readJson = (path: string) => JSON.parse(readFileSync(pathOf(path), 'utf8'))

const FILES = {
  'package/README.md': 'README.md',
  'package/recordhub.cjs': 'recordhub.cjs',
  'package/index.d.ts': 'index.d.ts',
  '../../LICENSE': 'LICENSE',
  '../../docs/platform-guide': 'platform-guide',
  '../dashboard/dist': 'page',
  'dist/downloads': 'downloads',
}

const { version } = readJson('package.json')
const { name, ...rest } = readJson('package/package.json')
const manifest = JSON.stringify({ name, version, ...rest }, null, 2)
writeFileSync(pathOf('dist/package/package.json'), `${manifest}\n`)
fixDeclarations(pathOf('dist/package/types'))
for (const [source, target] of Object.entries(FILES)) {
  cpSync(pathOf(source), pathOf(`dist/package/${target}`), { recursive: true })
}
