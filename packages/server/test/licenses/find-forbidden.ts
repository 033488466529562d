/** Finds dependencies whose licence is not allowed. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import satisfies from 'spdx-satisfies'

/** The packages of `package-lock.json`, by folder. */
export type LockedPackages = Record<
  string,
  { version?: string; license?: string; link?: boolean; dev?: boolean }
>

/** Licences that require at most attribution or, like the MPL, the publication of changes to their files. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Unlicense',
]

/** Development dependencies are not distributed with a hub, so licences of data and texts are also allowed. */
const ALLOWED_FOR_DEVELOPMENT = [...ALLOWED, 'CC-BY-3.0']

const INSTALLED = 'node_modules/'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
/** The programs that `npm ci` does not install. */
const PROGRAMS = 'packages/server/test/programs/*/package-lock.json'

/** @returns the packages of each lock file: first that of the workspace, then those of the programs. */
export function readLockFiles(): LockedPackages[] {
  return ['package-lock.json', ...globSync(PROGRAMS, { cwd: ROOT })].map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    const { packages }: { packages: LockedPackages } = JSON.parse(text)
    return packages
  })
}

/** @returns one line for each package whose licence is missing, invalid or not allowed. */
export function findForbidden(packages: LockedPackages): string[] {
  return Object.entries(packages)
    .filter(([folder, { link }]) => folder.includes(INSTALLED) && !link)
    .filter(([, { license, dev }]) => !isAllowed(license, dev))
    .map(([folder, { version, license = 'no licence' }]) => {
      const name = folder.slice(folder.lastIndexOf(INSTALLED) + INSTALLED.length)
      return `${name} ${version}: ${license}`
    })
}

function isAllowed(license: string | undefined, dev = false): boolean {
  if (license === undefined) return false
  try {
    return satisfies(license, dev ? ALLOWED_FOR_DEVELOPMENT : ALLOWED)
  } catch {
    return false
  }
}
