import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUDGET, findExcesses, isDisturbed, sumCosts } from './budget.ts'
import { estimateScale } from './calibrate.ts'

const CSRF = 'packages/server/test/http/csrf.test.ts'
const EVENTS = 'packages/server/test/http/events.test.ts'
const UNIT = 'packages/server/src/lib/files/csv.test.ts'

const filesOf = (entry: string) => (entry === '1.mjs' ? [CSRF, EVENTS] : [UNIT])
const USAGES = [
  {
    entry: '1.mjs',
    totalMs: 10_000,
    lostMs: 500,

    fileMs: { [CSRF]: 5000, [EVENTS]: 1000 },
  },
  { entry: '2.mjs', totalMs: 600, lostMs: 0, fileMs: {} },
]

test('what a process uses besides its tests is divided among its files, and the rest of the run is shared', () => {
  const costs = sumCosts(USAGES, { totalMs: 11_500, filesOf, scale: { factor: 2, error: 0.1 } })
  assert.deepEqual(costs.files, [
    [CSRF, 3.5],
    [EVENTS, 1.5],
    [UNIT, 0.3],
  ])
  assert.deepEqual(
    costs.folders.map(([name]) => name),
    ['server/test/http', 'shared', 'server/src'],
  )
  assert.equal(costs.totalSeconds, 6)
  assert.equal(
    costs.folders.reduce((sum, [, seconds]) => sum + Math.round(seconds * 10), 0),
    60,
  )
})

test('the run fails if the quick tier or one file exceeds its budget', () => {
  const within = { folders: [], files: [], totalSeconds: BUDGET.totalSeconds, error: 0 }
  const file = (seconds: number): [string, number] => [CSRF, seconds]
  assert.deepEqual(findExcesses({ ...within, files: [file(BUDGET.fileSeconds)] }), [])
  const excesses = findExcesses({
    ...within,
    files: [file(BUDGET.fileSeconds + 0.1)],
    totalSeconds: BUDGET.totalSeconds + 1,
  })
  assert.match(
    excesses[0] ?? '',
    /^The quick tier costs [\d.]+ ± 0\.0 processor seconds, more than/,
  )
  assert.match(
    excesses[1] ?? '',
    /csrf\.test\.ts costs 10\.1 ± 0\.0 processor seconds, more than 10\./,
  )
  assert.equal(excesses.length, 2)
})

test('an excess that the measurement may have caused is none', () => {
  const total = (totalSeconds: number) =>
    findExcesses({ folders: [], files: [], totalSeconds, error: 0.1 }).length
  assert.deepEqual([total(BUDGET.totalSeconds * 1.1), total(BUDGET.totalSeconds * 1.12)], [0, 1])
})

test('the error of the scale follows from the differences of its samples, and their number', () => {
  assert.deepEqual(estimateScale([2, 2, 2]), { factor: 2, error: 0.1 })
  assert.equal(estimateScale([2]).error, 1)
  const { factor, error } = estimateScale([1, 3, 1, 3])
  assert.deepEqual([factor, error.toFixed(3)], [2, '0.586'])
})

test('a run beside other programs is not judged', () => {
  assert.equal(isDisturbed({ ownMs: 300_000, machineMs: 350_000 }), false)
  assert.equal(isDisturbed({ ownMs: 300_000, machineMs: 370_000 }), true)
})
