import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { memoizeAsync, shareCalls } from './memoize-async.ts'

test('the result is cached, and concurrent callers share it', async () => {
  let loads = 0
  const read = memoizeAsync(async () => ({ load: ++loads }))
  const [one, other] = await Promise.all([read(), read()])
  assert.equal(one, other)
  assert.equal(await read(), one)
  assert.equal(loads, 1)
})

test('a failure rejects all waiting callers, and the next call loads again', async () => {
  let loads = 0
  const read = memoizeAsync(async () => {
    loads += 1
    if (loads === 1) throw new Error('out of files')
    return loads
  })
  const results = await Promise.allSettled([read(), read()])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await read(), 2)
  assert.equal(await read(), 2)
})

test('callers during a call share one later call, also after a failure', async () => {
  const ends: (() => void)[] = []
  let calls = 0
  const read = shareCalls(async () => {
    calls += 1
    const call = calls
    await new Promise<void>((resolve) => ends.push(resolve))
    if (call === 1) throw new Error('locked')
    return call
  })
  const first = assert.rejects(read(), /locked/)
  await setImmediate()
  const later = [read(), read()]
  assert.equal(calls, 1)
  ends[0]?.()
  await first
  await setImmediate()
  ends[1]?.()
  assert.deepEqual(await Promise.all(later), [2, 2])
  assert.equal(calls, 2)
})
