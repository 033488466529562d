import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endAfterLargeWork } from './index-thread.ts'

test('the thread of an index ends after large work, and not while it is busy', async () => {
  const steps: number[] = []
  let [stopped, requests] = [0, 0]
  const thread = {
    countRequests: () => requests,
    async stop() {
      stopped += 1
    },
  }
  const indexNext = endAfterLargeWork(thread, async () => steps.shift() ?? 0)
  const run = async (...next: number[]) => {
    steps.push(...next)
    for (const step of next) assert.equal(await indexNext(2000), step)
    return stopped
  }
  assert.equal(await run(2000, 2000, 0), 0)
  assert.equal(await run(2000, 2000, 2000), 0)
  requests = 1
  assert.equal(await run(2000, 0), 0)
  requests = 0
  assert.equal(await run(0, 0), 1)
  assert.equal(await run(2000, 0), 1)
})
