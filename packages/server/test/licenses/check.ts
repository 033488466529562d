/**
 * `npm run check:licenses`: lists the licences of all dependencies in the lock file. Exits with 1 if one is not
 * allowed.
 */
import { readFileSync } from 'node:fs'
import { findForbidden, type LockedPackages } from './find-forbidden.ts'

const lock = new URL('../../../../package-lock.json', import.meta.url)
const { packages }: { packages: LockedPackages } = JSON.parse(readFileSync(lock, 'utf8'))
const forbidden = findForbidden(packages)
for (const line of forbidden) process.stderr.write(`${line}\n`)
const counts = new Map<string, number>()
for (const { license } of Object.values(packages)) {
  if (license) counts.set(license, (counts.get(license) ?? 0) + 1)
}
for (const [license, count] of [...counts].toSorted((one, other) => other[1] - one[1])) {
  process.stdout.write(`${String(count).padStart(5)}  ${license}\n`)
}
process.exitCode = forbidden.length === 0 ? 0 : 1
