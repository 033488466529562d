/**
 * `npm run check:licenses`: lists the licences of all dependencies in the lock files. Exits with 1 if one is not
 * allowed.
 */
import { findForbidden, readLockFiles } from './find-forbidden.ts'

const locks = readLockFiles()
const forbidden = locks.flatMap(findForbidden)
for (const line of forbidden) process.stderr.write(`${line}\n`)
const counts = new Map<string, number>()
for (const { license } of locks.flatMap((packages) => Object.values(packages))) {
  if (license) counts.set(license, (counts.get(license) ?? 0) + 1)
}
for (const [license, count] of [...counts].toSorted((one, other) => other[1] - one[1])) {
  process.stdout.write(`${String(count).padStart(5)}  ${license}\n`)
}
process.exitCode = forbidden.length === 0 ? 0 : 1
