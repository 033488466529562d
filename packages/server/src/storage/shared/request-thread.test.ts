import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMainThread } from 'node:worker_threads'
import { untilTrue } from '../../../test/helpers/time/until.ts'
import { HubError } from '../../errors.ts'
import { createRequestThread, serveRequests } from './request-thread.ts'

if (isMainThread) {
  test('a thread with too many requests rejects further ones with busy and Retry-After until one ends', async () => {
    const thread = createRequestThread<number, number>(new URL(import.meta.url), { maxRequests: 3 })
    const accepted = [1, 2, 3].map((request) => thread.request(request))
    await assert.rejects(thread.request(4), (error) => {
      assert.ok(error instanceof HubError)
      assert.equal(error.code, 'busy')
      assert.ok(error.retryAfterSeconds)
      return true
    })
    assert.deepEqual(await Promise.all(accepted), [2, 4, 6])
    assert.equal(thread.countRequests(), 0)
    assert.equal(await thread.request(4), 8)
    await thread.stop()
  })

  test('a thread ends when it has had no request for some time, and the next request starts another one', async () => {
    const thread = createRequestThread<number, number>(new URL(import.meta.url), { idleRatio: 0 })
    for (const request of [1, 2]) {
      assert.equal(await thread.request(request), 2 * request)
      await untilTrue('the thread has ended', () => !thread.isRunning())
    }
    await thread.stop()
  })

  test('a thread with requests does not end, however short the time is', async () => {
    const thread = createRequestThread<number, number>(new URL(import.meta.url), { idleRatio: 0 })
    for (let request = 1; request <= 20; request++) {
      const both = [thread.request(request), thread.request(request)]
      assert.deepEqual(await Promise.all(both), [2 * request, 2 * request])
    }
    await thread.stop()
  })
} else serveRequests<number, number>((request) => 2 * request)
