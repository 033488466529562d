/** Files that a failed test leaves, so that its cause can be found. The summary of a run names their folder. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { env } from 'node:process'
import type { TestContext } from 'node:test'

export type FinishedTest = Pick<TestContext, 'filePath' | 'fullName'>

/** Names of folders are cut to this number of characters. */
const MAX_NAME = 150

/** Whether a test has failed. Call it in a hook that runs after the test, such as `t.after`. */
export function hasFailed(t: FinishedTest): boolean
/** Whether this is a test that has failed. What a hook of a suite passes instead of a test has not. */
export function hasFailed(t: object): t is FinishedTest
export function hasFailed(t: object): boolean {
  // The types of Node.js lack this member.
  return 'fullName' in t && 'passed' in t && t.passed === false
}

/**
 * Saves files of a failed test in a folder of its own, within the folder that `TEST_ARTIFACTS` names.
 * @param files their content, by their names.
 */
export function saveArtifacts(
  t: FinishedTest,
  files: Readonly<Record<string, string | Uint8Array>>,
): void {
  const root = env['TEST_ARTIFACTS'] || join(tmpdir(), 'recordhub-test-artifacts')
  const folder = join(root, folderNameOf(t))
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(findFreePath(folder, name), content)
  }
}

function folderNameOf(t: FinishedTest): string {
  const file = basename(findTestFile(t)).replace(/(?:\.test)?\.\w+$/, '')
  return `${file} - ${t.fullName}`
    .replaceAll(/[^\w.,()-]+/g, ' ')
    .slice(0, MAX_NAME)
    .trim()
}

/** The file of a test. A process may run several files, of which only the stack of the error names the right one. */
function findTestFile(t: FinishedTest): string {
  const error = 'error' in t && t.error instanceof Error ? t.error : null
  const stack = error?.cause instanceof Error ? error.cause.stack : error?.stack
  return /[^/\s(]+\.test\.ts/.exec(stack ?? '')?.[0] ?? t.filePath ?? 'test'
}

/** The path of a file, with a number if the folder already contains its name. */
function findFreePath(folder: string, name: string): string {
  let path = join(folder, name)
  for (let count = 2; existsSync(path); count += 1) {
    path = join(folder, name.replace(/(\.\w+)?$/, `-${count}$1`))
  }
  return path
}
