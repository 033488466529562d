/** What a defect of `list.ts` changes, and which test file finds it. */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { Defect } from './list.ts'

/**
 * @param packages the folder of the packages.
 * @throws Error if the text of a defect does not occur exactly once, or the changed file would not load.
 */
export function assertPossible(packages: URL, defect: Defect): void {
  const { rule, file, find } = defect
  const source = readFileSync(new URL(file, packages), 'utf8')
  const count = source.split(find).length - 1
  if (count !== 1) throw new Error(`${file} contains ${count} times the text of "${rule}": ${find}`)
  stripTypeScriptTypes(change(source, defect))
}

/** @returns the test file of the quick tier that finds the defect, below `packages/`. */
export function testOf({ file, test = file.replace(/\.ts$/, '.test.ts') }: Defect): string {
  return test
}

/** @returns the source of the changed file. */
export function change(source: string, { find, replace = '' }: Defect): string {
  return source.replace(find, () => replace)
}
