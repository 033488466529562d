import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore } from './semaphore.ts'

const never = new AbortController().signal
const pass = () => new Promise(setImmediate)

test('tasks up to the limit run at the same time, the others follow in order', async () => {
  const turns = createSemaphore(2)
  const begun: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const all = ends.map(({ promise }, number) =>
    turns.run(() => {
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

test('a failed task frees its slot', async () => {
  const turns = createSemaphore(1)
  const failing = turns.run(() => Promise.reject(new Error('no')), never)
  const next = turns.run(async () => 'done', never)
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'done')
})

test('an aborted waiting task never runs and blocks no other task', async () => {
  const turns = createSemaphore(1)
  const first = Promise.withResolvers<void>()
  const running = turns.run(() => first.promise, never)
  const leaving = new AbortController()
  const left = turns.run(async () => assert.fail('an aborted task ran'), leaving.signal)
  const patient = turns.run(async () => 'done', never)
  leaving.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  first.resolve()
  await running
  assert.equal(await patient, 'done')
  assert.equal(await turns.run(async () => 'again', never), 'again')
  await assert.rejects(
    turns.run(async () => 'late', leaving.signal),
    /gone/,
  )
})
