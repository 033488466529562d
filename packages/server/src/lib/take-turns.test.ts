import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './take-turns.ts'

const never = new AbortController().signal
const pass = () => new Promise(setImmediate)

test('so many work at a time, the others in the order in which they came', async () => {
  const turns = createTurns(2)
  const begun: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const all = ends.map(({ promise }, number) =>
    turns.take(() => {
      begun.push(number)
      return promise
    }, never),
  )
  await pass()
  assert.deepEqual(begun, [0, 1])
  ends[1]?.resolve()
  await pass()
  assert.deepEqual(begun, [0, 1, 2])
  for (const end of ends) end.resolve()
  await Promise.all(all)
  assert.deepEqual(begun, [0, 1, 2, 3, 4])
})

test('work that fails gives its turn on', async () => {
  const turns = createTurns(1)
  const failing = turns.take(() => Promise.reject(new Error('no')), never)
  const next = turns.take(async () => 'done', never)
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'done')
})

test('who gives up while waiting takes no turn, and keeps nobody from one', async () => {
  const turns = createTurns(1)
  const first = Promise.withResolvers<void>()
  const running = turns.take(() => first.promise, never)
  const leaving = new AbortController()
  const left = turns.take(async () => assert.fail('it was its turn'), leaving.signal)
  const patient = turns.take(async () => 'done', never)
  leaving.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  first.resolve()
  await running
  assert.equal(await patient, 'done')
  assert.equal(await turns.take(async () => 'again', never), 'again')
  await assert.rejects(
    turns.take(async () => 'late', leaving.signal),
    /gone/,
  )
})
