import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { formatRfc3339 } from '../../lib/time/rfc3339.ts'
import { withText } from './json-text.ts'
import {
  decidePull,
  decidePush,
  type LastRead,
  type PushedContent,
  type ReadContext,
  type RecordState,
  type WriteDecision,
} from './record.ts'
import {
  decideReplay,
  type ReplayedContent,
  type ReplayedElement,
  type WritePosition,
} from './replay.ts'

/** The position of write number `seq`, one second after the previous one. */
function positionOf(seq: number): WritePosition {
  return { seq, at: formatRfc3339(new Date(seq * 1000)) }
}

function dataOf(value: number): string {
  return JSON.stringify({ value })
}

function post(value: number): PushedContent {
  return { source: 'POST', full_name: `Person ${value}`, data: dataOf(value), occurred_at: null }
}

const MANIFEST_KEYS = new Set(['value'])

function element(value: number): ReplayedElement {
  return {
    source: 'pull',
    full_name: `Person ${value}`,
    data: dataOf(value),
    manifest_keys: MANIFEST_KEYS,
  }
}

function readOf(seq: number): ReadContext {
  const { at } = positionOf(seq)
  return { snapshotSeq: seq, requested_at: at, manifest_keys: MANIFEST_KEYS, manifest_hash: 'hash' }
}

function next(stored: RecordState | null, decision: WriteDecision): RecordState | null {
  return decision.outcome === 'stale' || decision.next === null ? stored : withText(decision.next)
}

type Replay = { content: ReplayedContent; from: number; now: number; lastRead?: LastRead }

function replay(stored: RecordState | null, { content, from, now, lastRead }: Replay) {
  const context = { position: positionOf(from), now: positionOf(now), lastRead: lastRead ?? null }
  return decideReplay(stored, content, context)
}

function pushed(value: number, seq: number, stored: RecordState | null = null) {
  return next(stored, decidePush(stored, post(value), { ...positionOf(seq), lastRead: null }))
}

function pulled(value: number, seq: number, stored: RecordState | null = null) {
  const { source, full_name, data } = element(value)
  const content = {
    ...{ source, full_name, data, fingerprint: `hash.${value}`, version: null },
  }
  return next(stored, decidePull(stored, content, readOf(seq)))
}

describe('a replay takes the position of the original rejected write', () => {
  test('it updates an older record', () => {
    for (const stored of [pushed(1, 3), pulled(1, 3)]) {
      assert.equal(replay(stored, { content: post(2), from: 5, now: 9 }).outcome, 'updated')
      assert.equal(replay(stored, { content: element(2), from: 5, now: 9 }).outcome, 'updated')
    }
  })

  test('it does not overwrite a later push or pull', () => {
    for (const stored of [pushed(1, 7), pulled(1, 7), pulled(1, 7, pushed(1, 3))]) {
      assert.equal(replay(stored, { content: post(2), from: 5, now: 9 }).outcome, 'stale')
      assert.equal(replay(stored, { content: element(2), from: 5, now: 9 }).outcome, 'stale')
    }
  })

  test('it does not overwrite a record that a later complete read has confirmed', () => {
    const lastRead = { snapshotSeq: 7, requested_at: positionOf(7).at }
    const outcome = replay(pulled(1, 3), { content: post(2), from: 5, now: 9, lastRead }).outcome
    assert.equal(outcome, 'stale')
    const later = replay(pulled(1, 3), { content: post(2), from: 8, now: 9, lastRead }).outcome
    assert.equal(later, 'updated')
  })

  test('a complete read does not confirm a record that only replays have written', () => {
    const lastRead = { snapshotSeq: 20, requested_at: positionOf(20).at }
    const created = next(null, replay(null, { content: post(1), from: 5, now: 30, lastRead }))
    const second = replay(created, { content: post(2), from: 9, now: 31, lastRead })
    assert.equal(second.outcome, 'updated')
    const occurred_at = positionOf(15).at
    const push = decidePush(created, { ...post(3), occurred_at }, { ...positionOf(32), lastRead })
    assert.equal(push.outcome, 'updated')
  })

  test('it does not restore a record that was marked as missing later', () => {
    const stored = pulled(1, 3)
    assert.ok(stored)
    const missing = { ...stored, missing_since: new Date(7000).toISOString() }
    assert.equal(replay(missing, { content: post(2), from: 5, now: 9 }).outcome, 'stale')
    assert.equal(replay(missing, { content: post(2), from: 8, now: 9 }).outcome, 'updated')
  })

  test('the second element of a read with the same reference does not overwrite the first', () => {
    assert.equal(replay(pulled(1, 4), { content: element(2), from: 4, now: 9 }).outcome, 'stale')
    const lastRead = { snapshotSeq: 4, requested_at: positionOf(4).at }
    const unchanged = replay(pulled(1, 2), { content: element(2), from: 4, now: 9, lastRead })
    assert.equal(unchanged.outcome, 'stale')
  })

  test('a pull overwrites it only if the pull began after the rejection', () => {
    const replayed = next(null, replay(null, { content: post(1), from: 5, now: 9 }))
    assert.deepEqual(pulled(2, 7, replayed)?.data, '{"value":2}')
    assert.deepEqual(pulled(2, 4, replayed)?.data, '{"value":1}')
  })

  test('a replayed element leaves keys outside the manifest unchanged and stores no fingerprint', () => {
    const content: PushedContent = { ...post(1), data: '{"value":1,"extra":true}' }
    const stored = next(null, decidePush(null, content, { ...positionOf(3), lastRead: null }))
    const replayed = next(stored, replay(stored, { content: element(2), from: 5, now: 9 }))
    assert.equal(replayed?.data, '{"value":2,"extra":true}')
    assert.equal(replayed.fingerprint, null)
    assert.equal(replayed.incomplete, false)
  })

  test('a forced replay overwrites newer data, as if it had just arrived', () => {
    const stored = next(
      null,
      decidePush(null, { ...post(1), occurred_at: positionOf(8).at }, CONTEXT),
    )
    for (const content of [{ ...post(2), occurred_at: positionOf(2).at }, element(2)]) {
      const context = { position: null, now: positionOf(9), lastRead: null }
      const replayed = next(stored, decideReplay(stored, content, context))
      assert.equal(replayed?.data, '{"value":2}')
      assert.equal(pulled(3, 8, replayed)?.data, '{"value":2}')
    }
  })
})

const CONTEXT = { ...positionOf(7), lastRead: null }

test('after rejected writes are replayed in any order, the record has the newest data', () => {
  const writes = fc.array(
    fc.record({ kind: fc.constantFrom('push', 'pull'), rejected: fc.boolean(), order: fc.nat() }),
    { minLength: 1, maxLength: 8 },
  )
  fc.assert(
    fc.property(writes, (given) => {
      const events = given.map((event, index) => ({ ...event, seq: index + 1 }))
      let stored: RecordState | null = null
      for (const { kind, seq } of events.filter((event) => !event.rejected)) {
        stored = kind === 'push' ? pushed(seq, seq, stored) : pulled(seq, seq, stored)
      }
      const rejected = events.filter((event) => event.rejected)
      rejected.sort((one, other) => one.order - other.order)
      for (const [index, { kind, seq }] of rejected.entries()) {
        const content = kind === 'push' ? post(seq) : element(seq)
        stored = next(stored, replay(stored, { content, from: seq, now: 100 + index }))
      }
      assert.equal(stored?.data, `{"value":${events.length}}`)
    }),
  )
})
