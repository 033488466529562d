import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createAdmission, createLane } from './admission.ts'

test('requests are admitted up to the limit, each owner up to a quarter of it', () => {
  const admission = createAdmission({ requests: 8, bytes: 1000 })
  const admitted = ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd'].map((owner) => admission.admit(owner))
  assert.ok(admitted.every((one) => one !== null))
  assert.equal(admission.admit('e'), null)
  admitted[0]?.release()
  assert.equal(admission.admit('b'), null, 'the share of b is occupied')
  assert.ok(admission.admit('e'))
})

test('bytes are admitted up to the limit, and each owner up to a quarter of it', () => {
  const admission = createAdmission({ requests: 100, bytes: 1000 })
  const add = (owner: string, bytes: number) => admission.admit(owner)?.add(bytes)
  assert.deepEqual([add('a', 200), add('a', 51), add('a', 50)], [true, false, true])
  assert.deepEqual(
    [add('b', 250), add('c', 250), add('d', 250), add('e', 1)],
    [true, true, true, false],
  )
  assert.deepEqual(admission.occupied, { requests: 7, bytes: 1000 })
})

test('the only request of an owner may be larger than its share, but not than the limit', () => {
  const admission = createAdmission({ requests: 100, bytes: 1000 })
  const only = admission.admit('a')
  assert.deepEqual([only?.add(600), only?.add(400), only?.add(1)], [true, true, false])
  assert.equal(admission.admit('b')?.add(1), false)
})

test('a released request occupies nothing, whatever is called afterwards', () => {
  const admission = createAdmission({ requests: 4, bytes: 1000 })
  const admitted = admission.admit('a')
  admitted?.add(900)
  const other = admission.admit('b')
  admitted?.release()
  admitted?.release()
  assert.equal(admitted?.add(1), false)
  assert.deepEqual(admission.occupied, { requests: 1, bytes: 0 })
  other?.release()
  assert.deepEqual(admission.occupied, { requests: 0, bytes: 0 })
  assert.ok(admission.admit('a'))
})

test('a lane runs at most its number of actions at once, then the next one, and rejects those without a place', async () => {
  const runInLane = createLane({ concurrent: 2, places: 12 })
  const started: string[] = []
  const ends: (() => void)[] = []
  const run = (name: string) =>
    runInLane(name, () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const first = run('a')
  const others = [run('b'), run('c'), run('d')]
  assert.deepEqual(started, ['a', 'b'])
  ends[0]?.()
  await first
  assert.deepEqual(started, ['a', 'b', 'c'])
  assert.deepEqual(
    [run('d'), run('d'), run('d')].map((one) => one === null),
    [false, false, true],
  )
  for (let at = 1; at < 6; at += 1) {
    ends[at]?.()
    await setImmediate()
  }
  await Promise.all(others)
  assert.deepEqual(started, ['a', 'b', 'c', 'd', 'd', 'd'])
})
