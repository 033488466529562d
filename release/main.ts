/** `npm run release`: builds the packages, the executable, their list of components (SBOM) and their checksums. */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { HELP, parseOptions } from './options.ts'
import { buildPackages, packPackages, ROOT } from './packages.ts'

function main(args: string[]): void {
  const options = parseOptions(args)
  if (options.help) {
    process.stdout.write(HELP)
    return
  }
  if (!options.allowDirty) assertCommitted()
  const out = resolve(options.out)
  buildPackages()
  packPackages(out)
}

/** @throws Error if the release would contain files that no commit has. */
function assertCommitted(): void {
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' })
  if (changes === '') return
  throw new Error(`Commit these changes first, or pass --allow-dirty:\n${changes.trimEnd()}`)
}

try {
  main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
