import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReport } from './report.ts'

test('a process that fails without a failed test is reported with the errors outside of its tests', () => {
  const lines: string[] = []
  const report = createReport((line) => lines.push(line), {
    root: '/project',
    seed: 7,
    repeatCommand: (file) => `npm test -- ${file}`,
  })
  const file = '/project/packages/server/test/http/records.test.ts'
  const diagnostic = { nesting: 0, level: 'info', line: 1, column: 1 } as const
  report.diagnose({ ...diagnostic, message: 'tests 12' })
  report.diagnose({ ...diagnostic, file, message: 'Error: activity after the test ended' })
  const error = Object.assign(new Error('test failed'), { cause: new Error('test failed') })
  report.complete({
    ...{ name: file, file, nesting: 0, testNumber: 1, testId: 1, parentId: 0, tags: [] },
    details: { duration_ms: 5, passed: false, error },
  })
  assert.equal(report.summarize(10), false)
  const printed = lines.join('\n')
  assert.match(
    printed,
    /✖ packages\/server\/test\/http\/records\.test\.ts\n {4}Error: activity after/,
  )
  assert.match(printed, /Repeat: npm test -- packages\/server\/test\/http\/records\.test\.ts/)
  assert.doesNotMatch(printed, /tests 12/)
})
