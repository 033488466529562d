/** Compiles libraries that change system calls of a process (LD_PRELOAD). */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Why the tests that need such a library cannot run on this machine; false if they can. */
export const noShim: string | false = findObstacle()

function findObstacle(): string | false {
  if (process.platform !== 'linux') return 'LD_PRELOAD is used on Linux only'
  const { status } = spawnSync('cc', ['--version'], { stdio: 'ignore' })
  return status === 0 ? false : 'no C compiler (cc) is installed'
}

const compiled = new Map<string, string>()

/**
 * Compiles a C source once per process. The library is deleted with the process.
 * @returns the path of the library, for the environment variable LD_PRELOAD.
 */
export function compileShim(source: URL): string {
  const known = compiled.get(source.href)
  if (known !== undefined) return known
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-shim-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = fileURLToPath(source)
  const library = join(folder, `${basename(path, '.c')}.so`)
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', library, path, '-ldl'])
  // A process that runs as another user loads it too.
  chmodSync(folder, 0o755)
  compiled.set(source.href, library)
  return library
}
