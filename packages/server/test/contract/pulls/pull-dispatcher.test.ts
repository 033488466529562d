import assert from 'node:assert/strict'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'

test('each dispatched pull runs once', async ({ storage }) => {
  const runs = await collectRuns(storage)
  await storage.pullDispatcher.dispatch(1)
  await storage.pullDispatcher.dispatch(2)
  assert.deepEqual(await runs.next(), 1)
  assert.deepEqual(await runs.next(), 2)
  // A second run of 1 or 2 would precede pull 3.
  await storage.pullDispatcher.dispatch(3)
  assert.deepEqual(await runs.next(), 3)
  await storage.pullDispatcher.stop()
})

test('dispatching does not wait for the pull to run', async ({ storage }) => {
  const started = Promise.withResolvers<number>()
  const runPull = (pullId: number) => {
    started.resolve(pullId)
    return new Promise<void>(() => {})
  }
  await storage.pullDispatcher.start(runPull)
  await storage.pullDispatcher.dispatch(7)
  assert.equal(await started.promise, 7)
  await storage.pullDispatcher.stop()
})

test('a stopped dispatcher runs no pulls, including those dispatched just before', async (kit) => {
  const { storage } = kit
  const { pullDispatcher } = storage
  const delivered: number[] = []
  const runPull = async (pullId: number) => void delivered.push(pullId)
  await pullDispatcher.start(runPull)
  await pullDispatcher.dispatch(1)
  await pullDispatcher.stop()
  const afterStop = [...delivered]
  await pullDispatcher.dispatch(2)
  await untilNextTick()
  assert.deepEqual(delivered, afterStop)
  await pullDispatcher.stop()
})

/** Starts the dispatcher; `next` returns the ids of the pulls in the order they run. */
async function collectRuns(storage: Storage): Promise<{ next: () => Promise<number> }> {
  const runs: number[] = []
  let wake = () => {}
  const runPull = async (pullId: number) => {
    runs.push(pullId)
    wake()
  }
  await storage.pullDispatcher.start(runPull)
  return {
    async next() {
      for (;;) {
        const pullId = runs.shift()
        if (pullId !== undefined) return pullId
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

function untilNextTick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve))
  })
}
