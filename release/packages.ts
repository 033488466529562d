/** The packages of a release. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { packFolder, runNpm } from './npm.ts'

export const ROOT: string = join(import.meta.dirname, '..')

/** The folder of each package that is packed, relative to the repository. */
export const PACKAGE_FOLDERS = [
  'packages/server/dist/package',
  'packages/platform-kit',
  'packages/platform-runner',
  'packages/platform-checker/dist',
  'packages/protocol/dist',
] as const

/** Builds everything from the sources. */
export function buildPackages(): void {
  for (const folder of ['packages/server/dist/package', 'packages/protocol/dist']) {
    rmSync(join(ROOT, folder), { recursive: true, force: true })
  }
  runNpm(ROOT, ['run', 'build', '--silent'])
  runNpm(ROOT, ['run', 'package', '--silent', '--workspaces', '--if-present'])
}

/** Writes a `.tgz` for each built package. @returns their names. */
export function packPackages(out: string): string[] {
  return PACKAGE_FOLDERS.map((folder) => packFolder(join(ROOT, folder), out))
}
