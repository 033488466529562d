/** The output of a run: its progress, each failure immediately, and a summary at the end. */
import { relative } from 'node:path'
import type { EventData } from 'node:test'
import { inspect } from 'node:util'

export type Report = {
  /** A test or a suite has ended. */
  complete: (outcome: EventData.TestComplete) => void
  /** A process has reported something outside of a test, such as an error after the end of one. */
  diagnose: (diagnostic: EventData.TestDiagnostic) => void
  /** Prints the progress of the run. */
  progress: (elapsedMs: number) => void
  /** A check of the deep tier has ended. */
  check: (name: string, outcome: 'passed' | 'failed' | 'skipped') => void
  cover: (coverage: EventData.TestCoverage) => void
  /** Prints the summary. @returns whether the run succeeded. */
  summarize: (wallMs: number) => boolean
}

const SLOWEST = 10

/**
 * @param root the folder that printed paths are relative to.
 * @param repeatCommand returns the command that repeats a file with the same seed.
 */
export function createReport(
  print: (line: string) => void,
  {
    root,
    seed,
    repeatCommand,
  }: { root: string; seed: number; repeatCommand: (file: string) => string },
): Report {
  const millisecondsOf = new Map<string, number>()
  const testsOf = new Map<string, number>()
  const skipped = new Map<string, number>()
  const failures: string[] = []
  const diagnosticsOf = new Map<string, string[]>()
  let passed = 0
  let coveredPercent: number | null = null

  function addFailure(title: string, text: string): void {
    const failure = `✖ ${title}\n${text.replaceAll(/^/gm, '    ')}`
    failures.push(failure)
    print(failure)
  }

  return {
    complete(outcome) {
      const { details, nesting, skip, line = 0 } = outcome
      const file = outcome.file === undefined ? '' : relative(root, outcome.file)
      // Each process is reported as a test whose name is the path of its file.
      const isFile = outcome.name === outcome.file
      const isTest = details.type !== 'suite' && !isFile
      if (nesting === 0 && !isFile) add(millisecondsOf, file, details.duration_ms)
      if (isTest) add(testsOf, file, 1)
      if (!details.passed) {
        if (!failedByChild(details.error)) {
          const messages = isFile ? (diagnosticsOf.get(file) ?? []) : []
          const parts = [...messages, describe(details.error), `Repeat: ${repeatCommand(file)}`]
          addFailure(isFile ? file : `${file}:${line} › ${outcome.name}`, parts.join('\n'))
        }
      } else if (isTest && skip !== undefined) {
        add(skipped, typeof skip === 'string' ? skip : 'without a reason', 1)
      } else if (isTest) {
        passed += 1
      }
    },
    diagnose({ file, message }) {
      // A diagnostic without a file belongs to the summary of node:test.
      if (file === undefined) return
      const path = relative(root, file)
      diagnosticsOf.set(path, [...(diagnosticsOf.get(path) ?? []), message])
    },
    progress(elapsedMs) {
      const outcome = failures.length > 0 ? `, ${failures.length} failed` : ''
      print(`${toSeconds(elapsedMs).padStart(8)} s  ${sum(testsOf)} tests${outcome}`)
    },
    check(name, outcome) {
      if (outcome === 'skipped') add(skipped, `${name} needs a program that is not installed`, 1)
      if (outcome === 'passed') passed += 1
      add(testsOf, name, 1)
      if (outcome === 'failed') addFailure(name, `To run it alone: npm run ${name}`)
    },
    cover({ summary }) {
      coveredPercent = summary.totals.coveredLinePercent
    },
    summarize(wallMs) {
      const tests = sum(testsOf)
      print('')
      if (failures.length > 0) print(`Failed:\n${failures.join('\n')}\n`)
      print('Slowest files:')
      for (const [file, spent] of largest(millisecondsOf, SLOWEST)) {
        print(`${toSeconds(spent).padStart(8)} s  ${file}`)
      }
      if (skipped.size > 0) print('Skipped:')
      for (const [reason, number] of skipped) print(`${String(number).padStart(8)}    ${reason}`)
      if (coveredPercent !== null) print(`Line coverage: ${coveredPercent.toFixed(2)} %`)
      print(
        `${tests} tests: ${passed} passed, ${failures.length} failed, ${sum(skipped)} skipped, ` +
          `in ${toSeconds(wallMs)} s. Seed ${seed}.`,
      )
      return failures.length === 0 && passed > 0
    },
  }
}

/** A suite fails if one of its tests fails, which is reported separately. */
function failedByChild(error: unknown): boolean {
  return error instanceof Error && 'failureType' in error && error.failureType === 'subtestsFailed'
}

function describe(error: unknown): string {
  return inspect(error instanceof Error && error.cause instanceof Error ? error.cause : error)
}

function add(counts: Map<string, number>, key: string, number: number): void {
  counts.set(key, (counts.get(key) ?? 0) + number)
}

function sum(counts: Map<string, number>): number {
  return [...counts.values()].reduce((total, number) => total + number, 0)
}

function largest(counts: Map<string, number>, length: number): [string, number][] {
  return [...counts].toSorted((one, other) => other[1] - one[1]).slice(0, length)
}

function toSeconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1)
}
