/** Creates `biome`: the program of this platform's package. */
import { spawnSync } from 'node:child_process'
import { readdirSync, renameSync } from 'node:fs'

const packages = readdirSync('node_modules/@biomejs').filter((name) => name.startsWith('cli-'))
const programs = packages.map((name) => `node_modules/@biomejs/${name}/biome`)
// npm 9 also installs the package for the other C library.
const program = programs.find((program) => spawnSync(program, ['--version']).status === 0)
if (!program) {
  // npm ignores optional packages that it cannot fetch.
  const system = `${process.platform}-${process.arch}`
  throw new Error(`npm cannot reach its registry, or it has no @biomejs/cli-${system}`)
}
renameSync(program, 'biome')
