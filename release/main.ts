/** `npm run release`: builds the packages and the executable, and writes their components (SBOM) and checksums. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildExecutable } from './executable.ts'
import { HELP, parseOptions } from './options.ts'
import { buildPackages, packPackages, ROOT } from './packages.ts'
import { describeComponents } from './sbom.ts'

function main(args: string[]): void {
  const options = parseOptions(args)
  if (options.help) {
    process.stdout.write(HELP)
    return
  }
  if (!options.allowDirty) assertCommitted()
  const manifest = readFileSync(join(ROOT, 'packages/server/package.json'), 'utf8')
  const { version }: { version: string } = JSON.parse(manifest)
  const out = resolve(options.out)
  mkdirSync(out, { recursive: true })
  buildPackages()
  const files = packPackages(out)
  if (options.executable) files.push(buildExecutable(out, version))
  const bom = `recordhub-${version}.cdx.json`
  const timestamp = commitTime()
  writeFileSync(join(out, bom), describeComponents({ withNode: options.executable, timestamp }))
  files.push(bom)
  const sums = files.toSorted().map((file) => `${sha256(join(out, file))}  ${file}\n`)
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(`${sums.join('')}The files are in ${out}\n`)
}

/** @throws Error if the release would contain files that no commit has. */
function assertCommitted(): void {
  const changes = git('status', '--porcelain')
  if (changes === '') return
  throw new Error(`Commit these changes first, or pass --allow-dirty:\n${changes}`)
}

/** The time of the last commit. */
function commitTime(): string {
  return new Date(Number(git('log', '-1', '--format=%ct')) * 1000).toISOString()
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trimEnd()
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

try {
  main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
