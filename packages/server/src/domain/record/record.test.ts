import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isJsonObject,
  type JsonObject,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { isUnchanged, manifestHash } from '../pull/unchanged.ts'
import { withText } from './json-text.ts'
import {
  decidePull,
  decidePush,
  type PulledContent,
  type PushedContent,
  type ReadContext,
  type RecordState,
  type WriteDecision,
} from './record.ts'

const MANIFEST_HASH = manifestHash(['a', 'b'])
const read = (over: Partial<ReadContext> = {}): ReadContext => ({
  snapshotSeq: 10,
  requested_at: '2026-11-21T08:00:00.000000000Z',
  manifest_keys: new Set(['a', 'b']),
  manifest_hash: MANIFEST_HASH,
  ...over,
})
const pulled = (data: JsonObject, hash = 'x', full_name = 'Ann'): PulledContent => ({
  source: 'pull',
  full_name,
  data: stringifyLossless(data),
  fingerprint: `${MANIFEST_HASH}.${hash}`,
  version: null,
})
const push = (
  source: 'POST' | 'PATCH',
  data: JsonObject,
  over: Partial<PushedContent> = {},
): PushedContent => ({
  ...{ source, full_name: 'Ann', data: stringifyLossless(data), occurred_at: null },
  ...over,
})

/** The time of the pushes. */
const AT = '2026-11-21T09:00:00.000000000Z'
const first = { seq: 1, at: AT, lastRead: null }

function nextOf(decision: WriteDecision, stored: RecordState | null): RecordState {
  if (decision.outcome === 'stale') {
    assert.ok(stored)
    return stored
  }
  const next = decision.next ?? stored
  assert.ok(next)
  return withText(next)
}

function apply(pushes: PushedContent[]): RecordState {
  let state: RecordState | null = null
  let seq = 0
  for (const one of pushes) {
    seq += 1
    state = nextOf(decidePush(state, one, { seq, at: AT, lastRead: null }), state)
  }
  assert.ok(state)
  return state
}

function dataOf(state: RecordState): JsonObject {
  const data = parseLossless(state.data)
  assert.ok(isJsonObject(data))
  return data
}

const key = fc.constantFrom('a', 'b', 'c', 'a/b', '~', 'constructor', '1')
const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, 1, 'x'))
const data = fc.dictionary(key, value, { maxKeys: 5 }).map((object) => {
  const parsed = parseLossless(JSON.stringify(object))
  assert.ok(isJsonObject(parsed))
  return parsed
})
const source = fc.constantFrom('POST' as const, 'PATCH' as const)
const anyPush = fc.record({
  source,
  full_name: fc.constantFrom('Ann', 'Bob'),
  data: data.map(stringifyLossless),
  occurred_at: fc.constant(null),
})

test('a POST replaces the stored record completely', () => {
  fc.assert(
    fc.property(fc.array(anyPush), data, (before, last) => {
      const state = apply([...before, push('POST', last, { full_name: 'Zoe' })])
      assert.deepEqual(dataOf(state), last)
      assert.equal(state.full_name, 'Zoe')
      assert.equal(state.incomplete, false)
    }),
  )
})

test('a PATCH sets the keys that it contains and leaves the others unchanged', () => {
  fc.assert(
    fc.property(fc.array(anyPush, { minLength: 1 }), data, (before, changed) => {
      const stored = dataOf(apply(before))
      const state = apply([...before, push('PATCH', changed)])
      assert.deepEqual(dataOf(state), { ...stored, ...changed })
    }),
  )
})

test('a PATCH may omit the name, and null is a value', () => {
  const state = apply([
    push('POST', { a: 1, b: 2 }),
    push('PATCH', { a: null }, { full_name: null }),
  ])
  assert.equal(state.full_name, 'Ann')
  assert.equal(state.data, '{"a":null,"b":2}')
})

test('a record created by a PATCH is incomplete until a POST or a pull completes it', () => {
  const patched = apply([push('PATCH', { a: 1 }), push('PATCH', { b: 1 })])
  assert.equal(patched.incomplete, true)
  const posted = decidePush(patched, push('POST', { a: 1, b: 1 }), {
    seq: 3,
    at: AT,
    lastRead: null,
  })
  assert.equal(posted.outcome, 'updated')
  assert.equal(nextOf(posted, null).incomplete, false)
  const completed = decidePull(patched, pulled({ a: 1, b: 1 }), read())
  assert.equal(completed.outcome, 'updated')
  assert.equal(nextOf(completed, null).incomplete, false)
})

test('repeating a push changes nothing', () => {
  fc.assert(
    fc.property(fc.array(anyPush), anyPush, (before, last) => {
      const stored = apply([...before, last])
      const again = decidePush(stored, last, { seq: 99, at: AT, lastRead: null })
      assert.equal(again.outcome, 'unchanged')
      assert.equal(again.next?.pushed_seq, 99)
    }),
  )
})

test('undoing the changes restores the stored record', () => {
  fc.assert(
    fc.property(fc.array(anyPush, { minLength: 1 }), anyPush, (before, last) => {
      const stored = apply(before)
      const decision = decidePush(stored, last, { seq: 99, at: AT, lastRead: null })
      if (decision.outcome !== 'updated') return
      const undone = dataOf(decision.next)
      for (const change of decision.changes) {
        if (!change.path.startsWith('/data/')) continue
        const name = change.path.slice(6).replaceAll('~1', '/').replaceAll('~0', '~')
        if (change.before === undefined) delete undone[name]
        else undone[name] = parseLossless(change.before)
      }
      assert.deepEqual(undone, dataOf(stored))
    }),
  )
})

test('pushes with occurred_at give the same result in any order', () => {
  const timed = fc.uniqueArray(
    fc.record({ source, full_name: fc.constantFrom('Ann', 'Bob', null), data, at: fc.nat(50) }),
    { selector: (one) => one.at, minLength: 1, maxLength: 7 },
  )
  const inAnyOrder = timed.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  )
  fc.assert(
    fc.property(inAnyOrder, ([one, other]) => {
      const run = (list: typeof one) =>
        apply(
          list.map(({ at, source, full_name, data }) => ({
            source,
            full_name: source === 'POST' ? (full_name ?? '') : full_name,
            data: stringifyLossless(data),
            occurred_at: `2026-01-01T00:00:${String(at).padStart(2, '0')}.000000000Z`,
          })),
        )
      const left = run(one)
      const right = run(other)
      assert.deepEqual(dataOf(left), dataOf(right))
      assert.equal(left.full_name, right.full_name)
      assert.equal(left.incomplete, right.incomplete)
    }),
    { numRuns: 1000 },
  )
})

test('a push older than the latest complete push is stale and changes nothing', () => {
  const stored = apply([push('POST', { a: 2 }, { occurred_at: '2026-01-01T00:00:02.000000000Z' })])
  for (const source of ['POST', 'PATCH'] as const) {
    const older = push(source, { a: 1 }, { occurred_at: '2026-01-01T00:00:01.000000000Z' })
    assert.deepEqual(decidePush(stored, older, { seq: 2, at: AT, lastRead: null }), {
      outcome: 'stale',
      newer: { source: 'push', at: '2026-01-01T00:00:02.000000000Z' },
    })
  }
})

test('a PATCH whose fields were all set later is stale with the latest of these times', () => {
  const at = (second: number) => ({ occurred_at: `2026-01-01T00:00:0${second}.000000000Z` })
  const stored = apply([push('PATCH', { a: 1 }, at(3)), push('PATCH', { b: 1 }, at(2))])
  const context = { seq: 3, at: AT, lastRead: null }
  const newer = { source: 'push', ...{ at: at(3).occurred_at } }
  assert.deepEqual(decidePush(stored, push('PATCH', { a: 0, b: 0 }, at(1)), context), {
    outcome: 'stale',
    newer,
  })
})

test('a push that occurred before the last read of the record is stale', () => {
  const occurred = { occurred_at: '2026-11-21T07:59:59.999999999Z' }
  const byPull = nextOf(decidePull(null, pulled({ a: 2 }), read()), null)
  const stale = { outcome: 'stale', newer: { source: 'pull', at: read().requested_at } }
  assert.deepEqual(
    decidePush(byPull, push('PATCH', { a: 1 }, occurred), { seq: 11, at: AT, lastRead: null }),
    stale,
  )
  const byPush = apply([push('POST', { a: 2 })])
  const pulledBefore = { ...byPush, pulled_at: '2026-11-21T07:00:00.000000000Z' }
  const lastRead = { snapshotSeq: 10, requested_at: read().requested_at }
  assert.deepEqual(
    decidePush(pulledBefore, push('POST', { a: 1 }, occurred), { seq: 11, at: AT, lastRead }),
    stale,
  )
  // Pushed after the read, or not contained in any read.
  for (const other of [{ ...pulledBefore, pushed_seq: 11 }, byPush]) {
    const decision = decidePush(other, push('POST', { a: 1 }, occurred), {
      seq: 12,
      at: AT,
      lastRead,
    })
    assert.equal(decision.outcome, 'updated')
  }
})

test('a read whose time is in the future, because the clock was set back, makes no push stale', () => {
  const occurred = { occurred_at: '2026-11-21T09:00:00.000000000Z' }
  const future = { requested_at: '2026-11-21T10:00:00.000000000Z' }
  const byPull = nextOf(decidePull(null, pulled({ a: 2 }), read(future)), null)
  const lastRead = { snapshotSeq: 10, ...future }
  const decideAt = (at: string) =>
    decidePush(byPull, push('POST', { a: 1 }, occurred), { seq: 11, at, lastRead }).outcome
  assert.equal(decideAt('2026-11-21T09:00:01.000000000Z'), 'updated')
  assert.equal(decideAt('2026-11-21T10:00:01.000000000Z'), 'stale')
})

test('a pull never overwrites a push that arrived after its first request', () => {
  fc.assert(
    fc.property(anyPush, data, fc.nat(20), (pushed, received, seq) => {
      const stored = nextOf(decidePush(null, pushed, { seq, at: AT, lastRead: null }), null)
      const decision = decidePull(stored, pulled(received), read({ snapshotSeq: 10 }))
      assert.equal(decision.outcome === 'stale', seq > 10)
    }),
  )
})

test('a pull removes keys that the manifest names, and no others', () => {
  const stored = apply([push('POST', { a: 1, b: 2, extra: 3 })])
  const next = nextOf(decidePull(stored, pulled({ b: 2, other: 4 }), read()), null)
  assert.deepEqual(dataOf(next), { b: 2, other: 4, extra: 3 })
})

test('a pull of identical bytes changes and writes nothing', () => {
  fc.assert(
    fc.property(data, (received) => {
      const stored = nextOf(decidePull(null, pulled(received), read()), null)
      assert.ok(isUnchanged(stored, pulled(received), read()))
      assert.deepEqual(decidePull(stored, pulled(received), read()), {
        outcome: 'unchanged',
        next: null,
      })
    }),
  )
})

test('a pull of the same content in other bytes writes nothing', () => {
  const stored = nextOf(decidePull(null, pulled({ a: 1, b: 2 }, 'one'), read()), null)
  const reordered = decidePull(stored, pulled({ b: 2, a: 1 }, 'two'), read())
  assert.deepEqual(reordered, { outcome: 'unchanged', next: null })
})

test('after an unchanged push, one pull stores the fingerprint and the next needs no parsing', () => {
  const stored = nextOf(decidePush(null, push('POST', { a: 1 }), first), null)
  const pulledAgain = decidePull(stored, pulled({ a: 1 }), read())
  assert.equal(pulledAgain.outcome, 'unchanged')
  assert.ok(isUnchanged(nextOf(pulledAgain, stored), pulled({ a: 1 }), read()))
})

test('after a manifest change the next pull compares every record again', () => {
  const stored = nextOf(decidePull(null, pulled({ a: 1 }), read()), null)
  const other = { ...pulled({ a: 1 }), fingerprint: `${manifestHash(['a'])}.x` }
  const decision = decidePull(stored, other, read({ manifest_hash: manifestHash(['a']) }))
  assert.equal(decision.outcome, 'unchanged')
  assert.equal(nextOf(decision, stored).fingerprint, other.fingerprint)
})

test('a missing record that is pulled or pushed again is no longer missing', () => {
  const missing = {
    ...nextOf(decidePull(null, pulled({ a: 1 }), read()), null),
    missing_since: '2026-11-20T00:00:00.000Z',
  }
  const decisions = [
    decidePull(missing, pulled({ a: 1 }), read()),
    decidePush(missing, push('POST', { a: 1 }), first),
    decidePush(missing, push('PATCH', {}), first),
  ]
  for (const decision of decisions) {
    assert.equal(decision.outcome, 'updated')
    assert.equal(nextOf(decision, null).missing_since, null)
  }
})

test('numbers are compared as they were written', () => {
  const one = parseLossless('{"n":1.10}')
  const other = parseLossless('{"n":1.1}')
  assert.ok(isJsonObject(one) && isJsonObject(other))
  const stored = apply([push('POST', one)])
  assert.equal(stored.data, '{"n":1.10}')
  const decision = decidePush(stored, push('POST', other), { seq: 2, at: AT, lastRead: null })
  assert.deepEqual(decision.outcome === 'updated' && decision.changes, [
    { path: '/data/n', before: '1.10', after: '1.1' },
  ])
})
