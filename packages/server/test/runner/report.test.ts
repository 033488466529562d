import assert from 'node:assert/strict'
import type { EventData } from 'node:test'
import { test } from 'node:test'
import { createReport } from './report.ts'

const FILE = '/project/packages/server/test/http/records.test.ts'

test('a process that fails without a failed test is reported with the errors outside of its tests', () => {
  const { report, print } = startReport()
  const diagnostic = { nesting: 0, level: 'info', line: 1, column: 1 } as const
  report.diagnose({ ...diagnostic, message: 'tests 12' })
  report.diagnose({ ...diagnostic, message: 'Error: activity after the last test' })
  report.diagnose({ ...diagnostic, file: FILE, message: 'Error: activity after the test ended' })
  report.complete(failed({ name: FILE, file: FILE }))
  assert.equal(report.summarize(10), false)
  assert.match(
    print(),
    /✖ packages\/server\/test\/http\/records\.test\.ts\n {4}Error: activity after/,
  )
  assert.match(print(), /Repeat: npm test -- packages\/server\/test\/http\/records\.test\.ts/)
  assert.match(print(), /^Error: activity after the last test$/m)
  assert.doesNotMatch(print(), /tests 12/)
})

const MEASUREMENT = '/project/packages/server/test/runner/measure-file.ts'

test('a failed measurement of processor time is reported', () => {
  const { report, print } = startReport()
  report.complete(failed({ name: 'the processor time of a file', file: MEASUREMENT }))
  assert.equal(report.summarize(10), false)
  assert.match(print(), /measure-file\.ts:0 › the processor time of a file/)
})

test('tests that measure processor time are not counted', () => {
  const { report, print } = startReport()
  const file = MEASUREMENT
  const details = { duration_ms: 5, passed: true }
  const outcome = { nesting: 0, testNumber: 1, testId: 1, parentId: 0, tags: [], details }
  report.complete({ ...outcome, name: 'the processor time of a file', file })
  report.complete({ ...outcome, name: 'it works', file: FILE })
  assert.equal(report.summarize(10), true)
  assert.match(print(), /^1 tests: 1 passed, 0 failed/m)
})

function startReport() {
  const lines: string[] = []
  const report = createReport((line) => lines.push(line), {
    root: '/project',
    seed: 7,
    printsTests: false,
    repeatCommand: (file) => `npm test -- ${file}`,
  })
  return { report, print: () => lines.join('\n') }
}

function failed(outcome: { name: string; file: string }): EventData.TestComplete {
  const error = Object.assign(new Error('test failed'), { cause: new Error('test failed') })
  return {
    ...{ nesting: 0, testNumber: 1, testId: 1, parentId: 0, tags: [], ...outcome },
    details: { duration_ms: 5, passed: false, error },
  }
}
