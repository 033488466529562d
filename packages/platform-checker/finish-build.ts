/** The last step of the build: `dist/` becomes the published package, with its licence and the version of the source. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'

const from = (path: string) => new URL(path, import.meta.url)
const readJson = (path: string) => JSON.parse(readFileSync(from(path), 'utf8'))

const { version } = readJson('package.json')
const { name, ...rest } = readJson('package/package.json')
writeFileSync(from('dist/package.json'), `${JSON.stringify({ name, version, ...rest }, null, 2)}\n`)
for (const file of ['main.js', 'README.md'])
  copyFileSync(from(`package/${file}`), from(`dist/${file}`))
copyFileSync(from('../../LICENSE'), from('dist/LICENSE'))
