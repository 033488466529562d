import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatRepeatCommand, readOptions } from './options.ts'

const FILE = 'packages/server/src/lib/files/csv.test.ts'

test('a time without a date is on the current day, and a date is optional', () => {
  const clockOf = (text: string) => readOptions(['--clock', text])?.clock
  assert.equal(clockOf('2027-02-28T23:59:50'), '2027-02-28T23:59:50Z')
  assert.match(clockOf('23:59:50') ?? '', /^\d{4}-\d\d-\d\dT23:59:50Z$/)
  assert.equal(readOptions([])?.clock, null)
})

for (const text of ['midnight', '23:59', '24:61:00', '2027-02-30', '2027-13-01T00:00:00']) {
  test(`the clock ${text} is rejected`, () => {
    assert.throws(() => readOptions(['--clock', text]), /--clock requires a time such as/)
  })
}

test('the repeat command has the seed, the tier and the clock of the run', () => {
  const commandOf = (...args: string[]) => {
    const options = readOptions(['--seed', '2147483647', ...args])
    return options && formatRepeatCommand(options, FILE)
  }
  assert.equal(commandOf(), `npm test -- ${FILE} --seed 2147483647`)
  assert.equal(
    commandOf('--deep', '--clock', '2027-02-28T23:59:50'),
    `npm run test:deep -- ${FILE} --seed 2147483647 --clock 2027-02-28T23:59:50`,
  )
  assert.equal(commandOf('--faults'), `npm run test:faults -- ${FILE} --seed 2147483647`)
})

test('the command that repeats all files of a run names no file', () => {
  const options = readOptions(['--faults', '--seed', '7'])
  assert.equal(options && formatRepeatCommand(options, ''), 'npm run test:faults -- --seed 7')
})
