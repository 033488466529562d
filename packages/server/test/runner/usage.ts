/** Processor time by test file: how test processes report it, and how it is divided among their files. */
import { appendFileSync } from 'node:fs'
import { argv, env, pid } from 'node:process'
import { readTreeMs } from './processor-time.ts'

/** The processor time of one test process in milliseconds. */
export type ProcessUsage = {
  /** The file that the process ran. */
  entry: string
  totalMs: number
  /**
   * What is part of `totalMs` but no longer of the tree of the runner: ended processes that were not awaited, such as
   * those of a page of Chromium.
   */
  lostMs: number
  /** During the tests of each file. A process that ends early has not reported all of them. */
  fileMs: Readonly<Record<string, number>>
}

/** Null before the first test. */
let lastMs: number | null = null
const fileMs: Record<string, number> = {}

/**
 * Called in a test process before its first test, with null, and when the tests of a file have ended. Appends the
 * {@link ProcessUsage} to the file `TEST_USAGE` when the process ends.
 */
export function measureFile(file: string | null): void {
  const path = env['TEST_USAGE']
  const nowMs = readTreeMs(pid)
  if (path === undefined || nowMs === null) return
  if (lastMs === null) {
    lastMs = nowMs
    process.once('exit', () => {
      const endMs = readTreeMs(pid) ?? 0
      const totalMs = Math.max(endMs, lastMs ?? 0)
      const [entry = ''] = argv.slice(1)
      const lostMs = totalMs - endMs
      const usage: ProcessUsage = { entry, totalMs, lostMs, fileMs }
      appendFileSync(path, `${JSON.stringify(usage)}\n`)
    })
  }
  if (file !== null) fileMs[file] = nowMs - lastMs
  lastMs = nowMs
}

/**
 * The milliseconds of each file of a process. What the process used to load the code and to close what its files share
 * is divided equally among them.
 */
export function divideUsage(
  { totalMs, fileMs }: ProcessUsage,
  files: readonly string[],
): Map<string, number> {
  const measured = files.reduce((sum, file) => sum + (fileMs[file] ?? 0), 0)
  const shared = (totalMs - measured) / files.length
  return new Map(files.map((file) => [file, (fileMs[file] ?? 0) + shared]))
}
