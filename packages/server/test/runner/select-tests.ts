/** Selects the test files of a run by the options of its command. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findChanges, selectChanged } from './changed.ts'
import type { Options } from './options.ts'
import { isDeepFile, selectFiles } from './plan.ts'

const PATTERNS = ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts']
/** Files whose long forms take many minutes. A run with `--minutes` does not contain them. */
const LONG = /\/test\/(?:fuzz|simulation)\//

/** @returns the test files of a run, and what the user must know about the selection. */
export function selectTests(root: string, options: Options): { files: string[]; notes: string[] } {
  const { words, changes } = options
  const all = globSync(PATTERNS, { cwd: root })
  const { tests, unknown } =
    changes === null
      ? { tests: selectFiles(all, words), unknown: [] }
      : selectChanged(root, all, findChanges(root, changes.range))
  const files = tests.filter((file) => isInMode(root, file, options))
  const notes = unknown.map((path) => `No test imports ${path}; npm test runs all tests.`)
  if (tests.length === 0) {
    notes.push(
      changes === null
        ? `No path of a test file contains: ${words.join(', ')}`
        : 'No test imports a changed file.',
    )
  } else if (files.length === 0) {
    notes.push(
      `Only in the deep tier (npm run test:deep -- ${words.join(' ')}): ${tests.join(', ')}`,
    )
  }
  return { files, notes }
}

/** Whether a file is part of the run. The long forms of the faults have a command of their own. */
function isInMode(root: string, file: string, { mode, words, minutes }: Options): boolean {
  const isFault = file.includes('/test/faults/')
  if (mode === 'quick') return !isDeepFile(file)
  if (mode === 'deep' && words.length === 0) {
    return !isFault && !(minutes !== null && LONG.test(file))
  }
  if (mode !== 'faults') return true
  return isFault || readFileSync(join(root, file), 'utf8').includes('createFaultReport(')
}
