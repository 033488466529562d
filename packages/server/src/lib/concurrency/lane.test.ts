import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLane } from './admission.ts'

/** An action that runs until the test ends it. */
function createAction() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const action = { isRunning: false, end: resolve, fail: reject }
  return Object.assign(action, {
    run: () => {
      action.isRunning = true
      return promise
    },
  })
}

test('a lane runs two actions at once, and the others in their order, also after an error', async () => {
  const lane = createLane({ concurrent: 2, places: 16 })
  const actions = Array.from({ length: 4 }, createAction)
  const results = actions.map(({ run }, n) => lane(`owner ${n}`, run))
  const running = () => actions.map(({ isRunning }) => isRunning)
  assert.deepEqual(running(), [true, true, false, false])
  actions[1]?.fail(new Error('failed'))
  await assert.rejects(async () => results[1])
  assert.deepEqual(running(), [true, true, true, false])
  actions[0]?.end()
  await results[0]
  assert.deepEqual(running(), [true, true, true, true])
  for (const action of actions) action.end()
  await Promise.all([results[2], results[3]])
})

test('a lane rejects actions when its places are taken, a quarter of them by one owner', async () => {
  const lane = createLane({ concurrent: 1, places: 8 })
  const action = createAction()
  const results = ['a', 'b', 'c', 'd'].flatMap((owner) => [
    lane(owner, action.run),
    lane(owner, action.run),
  ])
  assert.ok(results.every((result) => result !== null))
  assert.equal(lane('e', action.run), null)
  action.end()
  await Promise.all(results)
  const two = [lane('a', action.run), lane('a', action.run)]
  assert.equal(lane('a', action.run), null)
  await Promise.all([...two, lane('b', action.run)])
})
