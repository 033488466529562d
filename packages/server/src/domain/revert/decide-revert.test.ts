import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { conclude, type RecordState } from '../record/record.ts'
import { parseChanges } from '../record/record-history.ts'
import {
  decideOutcome,
  decideRevert,
  foldEntries,
  isAsLeft,
  type RevertCandidate,
  type RevertibleContent,
} from './decide-revert.ts'

const AT = '2026-03-10T08:00:00.000Z'

/** A state as a write leaves it; its bookkeeping does not matter here. */
function stateOf(content: RevertibleContent): RecordState {
  const bookkeeping = { fingerprint: null, version: null, field_clocks: null, pushed_seq: 0 }
  return { ...content, ...bookkeeping, pushed_at: null, pulled_at: null }
}

type Entry = RevertCandidate['entries'][number]

/** The history entry of a write; null if it changed nothing. */
function entryOf(before: RevertibleContent, after: RevertibleContent): Entry | null {
  const decision = conclude(stateOf(before), stateOf(after))
  if (decision.outcome !== 'updated') return null
  const text = decision.changes.map(({ path, before, after }) => {
    const sides = [
      ...(before === undefined ? [] : [`"before":${before}`]),
      ...(after === undefined ? [] : [`"after":${after}`]),
    ]
    return `{${[`"path":${JSON.stringify(path)}`, ...sides].join(',')}}`
  })
  return { isInScope: true, changes: parseChanges(`[${text.join(',')}]`) }
}

const content: fc.Arbitrary<RevertibleContent> = fc.record({
  full_name: fc.constantFrom('Ann', 'Bob'),
  data: fc
    .dictionary(
      fc.constantFrom('a', 'b/c', 'd~'),
      fc.oneof(fc.integer({ max: 2 }), fc.constant({ x: [1] })),
    )
    .map((data) => JSON.stringify(data)),
  incomplete: fc.boolean(),
  missing_since: fc.constantFrom(null, '2026-03-09T08:00:00.000Z'),
})

function candidate(record: RevertibleContent, entries: Entry[]): RevertCandidate {
  const known = { isAnonymised: false, isRegistered: true, isHistoryStored: true }
  return { record, isCreated: false, ...known, entries }
}

/** Equal to the hub: the order of keys does not matter. */
function expectEqual(one: RevertibleContent, other: RevertibleContent): void {
  assert.equal(conclude(stateOf(one), stateOf(other)).outcome, 'unchanged')
}

/** The state that a revert gives: a write that has only completed the record is not taken back. */
function revertedTo(first: RevertibleContent, last: RevertibleContent): RevertibleContent {
  const changes = entryOf(first, last)?.changes ?? []
  return changes.every(({ path }) => path === '/incomplete') ? last : first
}

test('a revert of writes gives the state before them, and its revert the state after them', () => {
  fc.assert(
    fc.property(content, fc.array(content, { minLength: 1, maxLength: 5 }), (first, later) => {
      const states = [first, ...later]
      const entries = later.flatMap((next, index) => entryOf(states[index] ?? first, next) ?? [])
      const last = later.at(-1) ?? first
      const decision = decideRevert(candidate(last, entries), AT)
      assert.ok(decision.outcome === 'reverted')
      expectEqual(decision.next, revertedTo(first, last))
      const reverted = entryOf(last, decision.next)
      const again = decideRevert(candidate(decision.next, reverted ? [reverted] : []), AT)
      assert.ok(again.outcome === 'reverted')
      expectEqual(again.next, last)
    }),
  )
})

test('that a write has completed a record is taken back together with values, and not alone', () => {
  const first = { full_name: 'Ann', data: '{"a":1}', incomplete: true, missing_since: null }
  const decide = (last: RevertibleContent) => {
    const entry = entryOf(first, last)
    const decision = decideRevert(candidate(last, entry ? [entry] : []), AT)
    assert.ok(decision.outcome === 'reverted')
    return [decision.next.incomplete, decision.changes.length, decision.refused.length]
  }
  assert.deepEqual(decide({ ...first, incomplete: false }), [false, 0, 0])
  assert.deepEqual(decide({ ...first, incomplete: false, data: '{"a":2}' }), [true, 2, 1])
})

test('a record is kept exactly if a path of the scope has another value now', () => {
  fc.assert(
    fc.property(content, content, content, (first, written, now) => {
      const entry = entryOf(first, written)
      const decision = decideRevert(candidate(now, entry ? [entry] : []), AT)
      const changedSince = new Set(entryOf(written, now)?.changes.map(({ path }) => path))
      const isKept = entry?.changes.some(({ path }) => changedSince.has(path)) ?? false
      assert.equal(decision.outcome, isKept ? 'kept' : 'reverted')
    }),
  )
})

test('a created record becomes missing if its content is still that of the scope', () => {
  fc.assert(
    fc.property(content, content, (created, now) => {
      const record = { ...now, missing_since: null }
      const first = { ...created, missing_since: null }
      const entry = entryOf(first, record)
      const entries = entry ? [{ ...entry, isInScope: false }] : []
      const decision = decideRevert({ ...candidate(record, entries), isCreated: true }, AT)
      if (entry) return assert.equal(decision.outcome, 'kept')
      assert.ok(decision.outcome === 'reverted')
      assert.equal(decision.next.missing_since, AT)
    }),
  )
})

test('entries that are folded in steps decide as they do', () => {
  const writes = fc.array(fc.tuple(content, fc.boolean(), fc.boolean()), { maxLength: 6 })
  fc.assert(
    fc.property(content, writes, fc.boolean(), (first, later, isCreated) => {
      const states = [first, ...later.map(([state]) => state)]
      const written = later.flatMap(([next, isInScope, endsStep], index) => {
        const entry = entryOf(states[index] ?? first, next)
        return entry ? [{ ...entry, isInScope, endsStep }] : []
      })
      let folded: Entry[] = []
      for (const { endsStep, ...entry } of written) {
        folded.push(entry)
        if (endsStep) folded = foldEntries(folded, isCreated)
      }
      const record = states.at(-1) ?? first
      const decide = (entries: Entry[]) =>
        decideRevert({ ...candidate(record, entries), isCreated }, AT)
      assert.deepEqual(decide(foldEntries(folded, isCreated)), decide(written))
    }),
  )
})

test('a record as the scope has left it is reverted', () => {
  const writes = fc.array(fc.tuple(content, fc.boolean()), { maxLength: 4 })
  fc.assert(
    fc.property(content, writes, fc.boolean(), (first, later, isCreated) => {
      const states = [first, ...later.map(([state]) => state)]
      const written = later.flatMap(([next, isInScope], index) => {
        const entry = entryOf(states[index] ?? first, next)
        return entry ? [{ ...entry, isInScope, change_seq: index + 1 }] : []
      })
      const record = states.at(-1) ?? first
      const entries = isCreated ? written : written.filter(({ isInScope }) => isInScope)
      const revert = { ...candidate(record, entries), isCreated }
      const change_seq = written.at(-1)?.change_seq ?? 0
      const { missing_since } = record
      const inScope = entries.filter((entry) => entry.isInScope).length
      const counted = {
        count: entries.length,
        inScope,
        last_seq: entries.at(-1)?.change_seq ?? null,
      }
      const outline = { ...revert, missing_since, change_seq, entries: counted }
      if (isAsLeft(outline)) assert.equal(decideOutcome(revert).outcome, 'reverted')
      assert.equal(decideOutcome(revert).outcome, decideRevert(revert, AT).outcome)
    }),
  )
})
