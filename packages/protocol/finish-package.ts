/** The last step of `npm run package`: `dist/` becomes the published package, with the exports of the source. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixDeclarations } from '../../release/fix-declarations.ts'

const FOLDER = import.meta.dirname
type Manifest = { exports: Record<string, string>; scripts?: unknown; private?: boolean }

const text = readFileSync(join(FOLDER, 'package.json'), 'utf8')
const { scripts: _, private: __, exports, ...rest }: Manifest = JSON.parse(text)
const compiled = Object.entries(exports).map(([path, source]) => {
  const file = source.replace('./src/', './').replace(/\.ts$/, '')
  return [path, { types: `${file}.d.ts`, default: `${file}.js` }]
})
const manifest = { ...rest, exports: Object.fromEntries(compiled) }
writeFileSync(join(FOLDER, 'dist/package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
fixDeclarations(join(FOLDER, 'dist'))
copyFileSync(join(FOLDER, 'README.md'), join(FOLDER, 'dist/README.md'))
copyFileSync(join(FOLDER, '../../LICENSE'), join(FOLDER, 'dist/LICENSE'))
