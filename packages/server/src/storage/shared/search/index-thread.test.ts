import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMainThread } from 'node:worker_threads'
import { createRequestThread, serveRequests } from '../request-thread.ts'
import { endAfterLargeWork } from './index-thread.ts'

if (isMainThread) {
  test('the thread of an index ends after large work, and not while it is busy', async () => {
    const thread = createRequestThread<number, number>(new URL(import.meta.url), {
      // It does not end for another reason.
      idleRatio: 10_000,
    })
    // Each step indexes all that it may.
    const indexNext = endAfterLargeWork(thread, thread.request)
    for (const step of [5000, 5000, 0, 1]) {
      assert.equal(await indexNext(step), step)
      assert.ok(thread.isRunning())
    }
    const step = indexNext(0)
    const other = thread.request(7)
    await step
    assert.equal(await other, 7)
    assert.ok(thread.isRunning())
    await indexNext(0)
    assert.ok(!thread.isRunning())
    assert.equal(await indexNext(3), 3)
    await indexNext(0)
    assert.ok(thread.isRunning(), 'the count begins again')
    await thread.stop()
  })
} else serveRequests<number, number>((request) => request)
