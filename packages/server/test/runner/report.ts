/** What a run prints: a line for each finished process, failures as they happen, and one summary at the end. */
import { relative } from 'node:path'
import type { EventData } from 'node:test'
import { inspect } from 'node:util'

type Outcome = EventData.TestPass | EventData.TestFail

export type Report = {
  /** So many more processes are going to run. */
  expect: (processes: number) => void
  pass: (outcome: EventData.TestPass) => void
  fail: (outcome: EventData.TestFail) => void
  /** A process has ended. */
  end: (name: string, milliseconds: number) => void
  /** A check that is no test file has ended. */
  check: (name: string, outcome: 'passed' | 'failed' | 'skipped') => void
  cover: (coverage: EventData.TestCoverage) => void
  /** Prints the summary and tells whether the run succeeded. */
  summarize: (wallMs: number) => boolean
}

const SLOWEST = 10

/** @param root the folder that printed paths are relative to. */
export function createReport(
  print: (line: string) => void,
  { root, seed }: { root: string; seed: number },
): Report {
  const millisecondsOf = new Map<string, number>()
  const testsOf = new Map<string, number>()
  const skipped = new Map<string, number>()
  const failures: string[] = []
  let [expected, ended, passed] = [0, 0, 0]
  let coveredPercent: number | null = null

  function count(outcome: Outcome): void {
    const file = fileOf(outcome)
    const { duration_ms, type } = outcome.details
    if (outcome.nesting === 0) add(millisecondsOf, file, duration_ms)
    if (type !== 'suite') add(testsOf, file, 1)
  }

  function fileOf({ file }: Outcome): string {
    return file === undefined ? '' : relative(root, file)
  }

  function addFailure(title: string, text: string): void {
    const failure = `✖ ${title}\n${text.replaceAll(/^/gm, '    ')}`
    failures.push(failure)
    print(failure)
  }

  return {
    expect: (processes) => {
      expected += processes
    },
    pass(outcome) {
      count(outcome)
      if (outcome.details.type === 'suite') return
      if (outcome.skip === undefined) passed += 1
      else add(skipped, typeof outcome.skip === 'string' ? outcome.skip : 'without a reason', 1)
    },
    fail(outcome) {
      count(outcome)
      if (failedByChild(outcome)) return
      addFailure(
        `${fileOf(outcome)}:${outcome.line ?? 0} › ${outcome.name}`,
        describe(outcome.details.error),
      )
    },
    end(name, milliseconds) {
      ended += 1
      const place = `${String(ended).padStart(String(expected).length)}/${expected}`
      print(`[${place}] ${toSeconds(milliseconds).padStart(6)} s  ${name}`)
    },
    check(name, outcome) {
      if (outcome === 'skipped') add(skipped, `${name} needs a program that is not installed`, 1)
      if (outcome === 'passed') passed += 1
      add(testsOf, name, 1)
      if (outcome === 'failed') addFailure(name, `It is run alone by: npm run ${name}`)
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

/** A suite fails with its tests, which are reported by themselves. */
function failedByChild({ details: { error } }: EventData.TestFail): boolean {
  return 'failureType' in error && error.failureType === 'subtestsFailed'
}

function describe(error: Error): string {
  return inspect(error.cause instanceof Error ? error.cause : error)
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
