/** What a run prints: a line for each finished process, failures as they happen, and one summary at the end. */
import { relative } from 'node:path'
import type { EventData } from 'node:test'
import { inspect } from 'node:util'

type Outcome = EventData.TestPass | EventData.TestFail

export type Report = {
  pass: (outcome: EventData.TestPass) => void
  fail: (outcome: EventData.TestFail) => void
  /** A process has ended. */
  end: (name: string, milliseconds: number) => void
  /** Prints the summary and tells whether the run succeeded. */
  summarize: (wallMs: number) => boolean
}

const SLOWEST = 10

export function createReport(
  print: (line: string) => void,
  { root, jobs, seed }: { root: string; jobs: number; seed: number },
): Report {
  const byFile = new Map<string, number>()
  const skipped = new Map<string, number>()
  const failures: { title: string; text: string }[] = []
  let ended = 0
  let tests = 0
  let passed = 0
  let testsBefore = 0

  const fileOf = (outcome: Outcome) => (outcome.file ? relative(root, outcome.file) : '')

  function count(outcome: Outcome): void {
    if (outcome.nesting === 0) {
      const spent = byFile.get(fileOf(outcome)) ?? 0
      byFile.set(fileOf(outcome), spent + outcome.details.duration_ms)
    }
    if (outcome.details.type !== 'suite') tests += 1
  }

  return {
    pass(outcome) {
      count(outcome)
      if (outcome.skip !== undefined) {
        const reason = typeof outcome.skip === 'string' ? outcome.skip : 'no reason is given'
        skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
      } else if (outcome.details.type !== 'suite') {
        passed += 1
      }
    },
    fail(outcome) {
      count(outcome)
      if (isOnlyParent(outcome)) return
      const title = `${fileOf(outcome)}:${outcome.line ?? 0} › ${outcome.name}`
      const text = describeError(outcome.details.error)
      failures.push({ title, text })
      print(`✖ ${title}\n${indent(text)}`)
    },
    end(name, milliseconds) {
      ended += 1
      print(
        `[${String(ended).padStart(String(jobs).length)}/${jobs}] ${name}: ${tests - testsBefore} tests, ${toSeconds(milliseconds)} s`,
      )
      testsBefore = tests
    },
    summarize(wallMs) {
      print('')
      if (failures.length > 0) print('Failed:')
      for (const { title, text } of failures) print(`✖ ${title}\n${indent(text)}`)
      const slowest = [...byFile].toSorted((one, other) => other[1] - one[1]).slice(0, SLOWEST)
      print('Slowest files:')
      for (const [file, spent] of slowest) print(`${toSeconds(spent).padStart(8)} s  ${file}`)
      const skippedCount = [...skipped.values()].reduce((sum, number) => sum + number, 0)
      if (skippedCount > 0) print('Skipped:')
      for (const [reason, number] of skipped) print(`${String(number).padStart(8)}    ${reason}`)
      print(
        `${tests} tests: ${passed} passed, ${failures.length} failed, ${skippedCount} skipped in ${toSeconds(wallMs)} s (seed ${seed})`,
      )
      return failures.length === 0 && tests > 0
    },
  }
}

/** A suite fails with its tests, which are reported themselves. */
function isOnlyParent({ details }: EventData.TestFail): boolean {
  const { error } = details
  return 'failureType' in error && error.failureType === 'subtestsFailed'
}

function describeError(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : null
  return cause ? inspect(cause) : inspect(error)
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}

function toSeconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1)
}
