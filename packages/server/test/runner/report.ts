/** The output of a run: its progress, each failure immediately, and a summary at the end. */
import { relative } from 'node:path'
import type { EventData } from 'node:test'
import { inspect } from 'node:util'
import { BUDGET, type Costs } from './budget.ts'

export type Report = {
  /** A test or a suite has ended. */
  complete: (outcome: EventData.TestComplete) => void
  /** A process has reported something outside of a test, such as an error after the end of one. */
  diagnose: (diagnostic: EventData.TestDiagnostic) => void
  /** Prints the progress of the run. */
  progress: (elapsedMs: number) => void
  /** A check of the deep tier, or of the run itself, has ended. */
  check: (name: string, outcome: 'passed' | 'failed' | 'skipped', advice?: string) => void
  cover: (coverage: EventData.TestCoverage) => void
  /** Prints the processor time of folders and of the most expensive files. */
  cost: (costs: Costs) => void
  /** Prints the summary. @returns whether the run succeeded. */
  summarize: (wallMs: number) => boolean
}

export type ReportOptions = {
  /** The folder that printed paths are relative to. */
  root: string
  seed: number
  /** Returns the command that repeats a file with the same seed. */
  repeatCommand: (file: string) => string
  /** Whether each test is printed, as for a few files. */
  printsTests: boolean
}

const LARGEST = 15

export function createReport(
  print: (line: string) => void,
  { root, seed, repeatCommand, printsTests }: ReportOptions,
): Report {
  const skipped = new Map<string, number>()
  const failures: string[] = []
  const diagnosticsOf = new Map<string, string[]>()
  let tests = 0
  let passed = 0
  let coveredPercent: number | null = null

  function addFailure(title: string, text: string): void {
    const failure = `✖ ${title}\n${text.replaceAll(/^/gm, '    ')}`
    failures.push(failure)
    print(failure)
  }

  return {
    complete(outcome) {
      const { details, skip, name, line = 0 } = outcome
      const file = outcome.file === undefined ? '' : relative(root, outcome.file)
      if (isMeasurement(file) && details.passed) return
      // Each process is reported as a test whose name is the path of its file.
      const isFile = name === outcome.file
      const isTest = details.type !== 'suite' && !isFile
      if (isTest) tests += 1
      if (!details.passed) {
        if (!failedByChild(details.error)) {
          const messages = isFile ? (diagnosticsOf.get(file) ?? []) : []
          const parts = [...messages, describe(details.error), `Repeat: ${repeatCommand(file)}`]
          addFailure(isFile ? file : `${file}:${line} › ${name}`, parts.join('\n'))
        }
      } else if (isTest && skip !== undefined) {
        add(skipped, typeof skip === 'string' ? skip : 'without a reason', 1)
      } else if (isTest) {
        passed += 1
        if (printsTests) print(`✔ ${name} (${Math.round(details.duration_ms)} ms)`)
      }
    },
    diagnose({ file, message }) {
      // The counts of node:test have no file, nor has an error after the last test of a process.
      if (file === undefined) {
        if (message.startsWith('Error: ')) print(message)
        return
      }
      const path = relative(root, file)
      diagnosticsOf.set(path, [...(diagnosticsOf.get(path) ?? []), message])
    },
    progress(elapsedMs) {
      const outcome = failures.length > 0 ? `, ${failures.length} failed` : ''
      print(`${toSeconds(elapsedMs)} s  ${tests} tests${outcome}`)
    },
    check(name, outcome, advice = `To run it alone: npm run ${name}`) {
      if (outcome === 'skipped') add(skipped, `${name} needs a program that is not installed`, 1)
      if (outcome === 'passed') passed += 1
      tests += 1
      if (outcome === 'failed') addFailure(name, advice)
    },
    cover({ summary }) {
      coveredPercent = summary.totals.coveredLinePercent
    },
    cost({ folders, files, totalSeconds, error }) {
      print('\nProcessor seconds of folders and of the most expensive files:')
      const exactTo = `exact to ${Math.ceil(totalSeconds * error)}`
      const total: [string, number] = [
        `of ${BUDGET.totalSeconds} in total, ${exactTo}`,
        totalSeconds,
      ]
      for (const [name, seconds] of [...folders, total, ...files.slice(0, LARGEST)]) {
        print(`${toSeconds(seconds * 1000)}    ${name}`)
      }
    },
    summarize(wallMs) {
      print('')
      if (failures.length > 0) print(`Failed:\n${failures.join('\n')}\n`)
      if (skipped.size > 0) print('Skipped:')
      for (const [reason, number] of skipped) print(`${String(number).padStart(8)}    ${reason}`)
      if (coveredPercent !== null) print(`Line coverage: ${coveredPercent.toFixed(2)} %`)
      const counts = [...skipped.values()].reduce((sum, number) => sum + number, 0)
      print(
        `${tests} tests: ${passed} passed, ${failures.length} failed, ${counts} skipped, ` +
          `in ${toSeconds(wallMs).trim()} s. Seed ${seed}.`,
      )
      return failures.length === 0 && passed > 0
    },
  }
}

/** Whether the test only measures processor time; see `measure-file.ts`. */
function isMeasurement(file: string): boolean {
  return file.endsWith('runner/measure-file.ts')
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

function toSeconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1).padStart(8)
}
