import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { selectChanged } from './changed.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const TESTS = globSync(['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'], {
  cwd: ROOT,
})
const CSV = 'packages/server/src/lib/files/csv.ts'
const CSV_TEST = 'packages/server/src/lib/files/csv.test.ts'

const select = (...changed: string[]) => selectChanged(ROOT, TESTS, changed)

test('a changed test file is selected alone', () => {
  assert.deepEqual(select(CSV_TEST), { tests: [CSV_TEST], unknown: [] })
})

test('a changed source selects the tests that import it, directly or through the hub', () => {
  const { tests, unknown } = select(CSV)
  assert.deepEqual(unknown, [])
  assert.ok(tests.includes(CSV_TEST))
  assert.ok(tests.includes('packages/server/test/http/exports.test.ts'))
  assert.ok(!tests.includes('packages/server/src/lib/time/rfc3339.test.ts'))
})

test('a source of the hub selects tests that start the hub as a process, and one of the page those with a browser', () => {
  const isIn = (folder: string) => (file: string) => file.includes(folder)
  assert.ok(select('packages/server/src/cli/start.ts').tests.some(isIn('/test/process/')))
  const { tests } = select('packages/dashboard/src/main.tsx')
  assert.ok(tests.some(isIn('/test/e2e/')))
})

test('a package is found by its name', () => {
  assert.ok(select('packages/protocol/src/lossless-json.ts').tests.length > 50)
})

test('a file on which no test depends is reported', () => {
  assert.deepEqual(select('LICENSE'), { tests: [], unknown: ['LICENSE'] })
})
