/** Creates `node`, without the headers that are also in this platform's package. */
import { execFileSync } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'

const system = `${process.platform}-${process.arch}`
const program = `node_modules/node-${system}/bin/node`
if (!existsSync(program)) {
  // npm ignores optional packages that it cannot fetch.
  throw new Error(`npm cannot reach its registry, or no package of Node.js for ${system} is pinned`)
}
renameSync(program, 'node')
// It fails on systems with another C library.
execFileSync('./node', ['--version'])
