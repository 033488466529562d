/** The packages of a release. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { packFolder, runNpm } from './npm.ts'

export const ROOT: string = join(import.meta.dirname, '..')

/** The folder of the package `recordhub`, relative to the repository. */
export const SERVER_FOLDER = 'packages/server/dist/package'
const PROTOCOL_FOLDER = 'packages/protocol/dist'

const PACKAGE_FOLDERS = [
  SERVER_FOLDER,
  'packages/platform-kit',
  'packages/platform-runner',
  'packages/platform-checker/dist',
  PROTOCOL_FOLDER,
]

/** Builds the package `recordhub`. The page and the downloads are built already. */
export function buildServerPackage(): void {
  rmSync(join(ROOT, SERVER_FOLDER), { recursive: true, force: true })
  runNpm(ROOT, ['run', 'package', '--silent', '--workspace', 'recordhub'])
}

/** Builds everything from the sources. */
export function buildPackages(): void {
  rmSync(join(ROOT, PROTOCOL_FOLDER), { recursive: true, force: true })
  runNpm(ROOT, ['run', 'build', '--silent'])
  runNpm(ROOT, ['run', 'package', '--silent', '--workspace', '@recordhub/protocol'])
  buildServerPackage()
}

/** Writes a `.tgz` for each built package. @returns their names. */
export function packPackages(out: string): string[] {
  return PACKAGE_FOLDERS.map((folder) => packFolder(join(ROOT, folder), out))
}
