/** What a defect of `list.ts` changes, and which test file finds it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Defect } from './list.ts'

/**
 * @param packages the path of the folder of the packages.
 * @returns the source of the changed file with the defect.
 * @throws Error if the text of the defect does not occur exactly once.
 */
export function changedSource(
  packages: string,
  { rule, file, find, replace = '' }: Defect,
): string {
  const source = readFileSync(join(packages, file), 'utf8')
  const count = source.split(find).length - 1
  if (count !== 1) throw new Error(`${file} contains ${count} times the text of "${rule}": ${find}`)
  return source.replace(find, () => replace)
}

/** @returns the test file of the quick tier that finds the defect, below `packages/`. */
export function testOf({ file, test = file.replace(/\.ts$/, '.test.ts') }: Defect): string {
  return test
}
