import assert from 'node:assert/strict'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'

const NO_SCHEDULE = async () => {}
const HOURLY = '17 * * * *'

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
  await storage.pullDispatcher.start({ runPull, onSchedule: NO_SCHEDULE }, null)
  await storage.pullDispatcher.dispatch(7)
  assert.equal(await started.promise, 7)
  await storage.pullDispatcher.stop()
})

test('a stopped dispatcher runs no pulls, including those dispatched just before', async (kit) => {
  const { storage } = kit
  const { pullDispatcher } = storage
  const delivered: number[] = []
  const runPull = async (pullId: number) => void delivered.push(pullId)
  await pullDispatcher.start({ runPull, onSchedule: NO_SCHEDULE }, HOURLY)
  await pullDispatcher.dispatch(1)
  await pullDispatcher.stop()
  const afterStop = [...delivered]
  await pullDispatcher.dispatch(2)
  await untilNextTick()
  assert.deepEqual(delivered, afterStop)
  assert.equal(pullDispatcher.nextRun(), null)
  await pullDispatcher.stop()
})

test('nextRun returns the next time of the schedule, or null without a schedule', async (kit) => {
  const { storage, engine } = kit
  const { pullDispatcher } = storage
  const handlers = { runPull: async () => {}, onSchedule: NO_SCHEDULE }
  assert.equal(pullDispatcher.nextRun(), null)
  const before = await engine.readScheduleTime(storage)
  await pullDispatcher.start(handlers, HOURLY)
  const next = pullDispatcher.nextRun()
  const after = await engine.readScheduleTime(storage)
  // A dispatcher that a failed assertion leaves running would keep the test process alive.
  await pullDispatcher.stop()
  assert.ok(next)
  assert.equal(next.getUTCMinutes(), 17)
  assert.ok(next.getTime() > before)
  assert.ok(next.getTime() <= after + 3_600_000)
  assert.equal(pullDispatcher.nextRun(), null)
  await pullDispatcher.start(handlers, null)
  assert.equal(pullDispatcher.nextRun(), null)
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
  await storage.pullDispatcher.start({ runPull, onSchedule: NO_SCHEDULE }, null)
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
