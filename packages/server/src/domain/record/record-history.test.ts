import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonObject, parseLossless, stringifyLossless } from '@recordhub/protocol/lossless-json'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { manifestHash } from '../pull/unchanged.ts'
import { withText } from './json-text.ts'
import {
  decidePull,
  decidePush,
  missingChange,
  type RecordChange,
  type RecordState,
} from './record.ts'
import {
  isPastStored,
  type ParsedChange,
  type RecordContent,
  undoChanges,
  valuePaths,
} from './record-history.ts'

const token = fc.constantFrom('1', '1.10', '9007199254740993', '1e2', 'null', '"x"', '{"b":[1.0]}')
const key = fc.constantFrom('a', 'b', 'a/b', '~', '~1', '', 'constructor', '\u0000')
const data = fc
  .dictionary(key, token, { maxKeys: 4 })
  .map((members) =>
    Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${value}`),
  )
  .map((members) => json(`{${members.join(',')}}`))
const step = fc.oneof(
  fc.record({
    source: fc.constantFrom('POST' as const, 'PATCH' as const),
    full_name: fc.constantFrom('Ann', 'Bob'),
    data,
  }),
  fc.record({ source: fc.constant('pull' as const), full_name: fc.constant('Zoe'), data }),
  fc.record({ source: fc.constant('missing' as const) }),
)

test('undoing the changes one by one restores each earlier state', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const states: RecordState[] = []
      const entries: ParsedChange[][] = []
      let state: RecordState | null = null
      for (const [index, one] of steps.entries()) {
        const next = applyStep(state, one, index + 1)
        if (!next) continue
        if (state) {
          states.push(state)
          entries.push(next.changes.map(parseChange))
        }
        state = next.state
      }
      if (!state) return
      let content = contentOf(state)
      while (states.length > 0) {
        content = undoChanges(content, entries.pop() ?? [])
        assert.deepEqual(plain(content), plain(contentOf(states.pop() ?? state)))
      }
    }),
  )
})

test('undoing changes does not modify its input', () => {
  const content = contentOf({ ...EMPTY, data: '{"a":1}' })
  undoChanges(content, [{ path: '/data/a' }, { path: '/full_name', before: 'Bob' }])
  assert.deepEqual(plain(content), plain(contentOf({ ...EMPTY, data: '{"a":1}' })))
})

test('every value of a record has a path', () => {
  assert.deepEqual(valuePaths({ data: { a: null, 'b/~': {} } }), [
    '/full_name',
    '/data/a',
    '/data/b~1~0',
  ])
})

test('the past is stored back to the last deletion, or completely if nothing was deleted', () => {
  assert.equal(isPastStored(null, '2020-01-01T00:00:00.000Z'), true)
  const since = '2026-01-01T00:00:00.000Z'
  assert.equal(isPastStored(since, since), true)
  assert.equal(isPastStored(since, '2025-12-31T23:59:59.999Z'), false)
})

const EMPTY: RecordState = {
  full_name: 'Ann',
  data: '{}',
  incomplete: false,
  missing_since: null,
  fingerprint: null,
  version: null,
  field_clocks: null,
  pushed_seq: 0,
  pushed_at: null,
  pulled_at: null,
}
const SINCE = '2026-03-10T08:00:00.000Z'
const READ = {
  requested_at: '2026-11-21T08:00:00.000000000Z',
  manifest_keys: new Set(['a', 'b']),
  manifest_hash: manifestHash(['a', 'b']),
}

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** The state after a step; null if the step changes nothing visible. */
function applyStep(
  stored: RecordState | null,
  one: Step,
  seq: number,
): { state: RecordState; changes: RecordChange[] } | null {
  if (one.source === 'missing') {
    if (!stored || stored.missing_since !== null) return null
    return { state: { ...stored, missing_since: SINCE }, changes: [missingChange(SINCE)] }
  }
  const decision =
    one.source === 'pull'
      ? decidePull(
          stored,
          { ...one, data: stringifyLossless(one.data), fingerprint: `${seq}`, version: null },
          { ...READ, snapshotSeq: seq },
        )
      : decidePush(
          stored,
          { ...one, data: stringifyLossless(one.data), occurred_at: null },
          { seq, at: READ.requested_at, lastRead: null },
        )
  if (decision.outcome === 'created') return { state: withText(decision.next), changes: [] }
  if (decision.outcome !== 'updated') return null
  assert.ok(decision.changes.length > 0)
  return { state: decision.next, changes: decision.changes }
}

function parseChange({ path, before, after }: RecordChange): ParsedChange {
  return {
    path,
    ...(before === undefined ? {} : { before: parseLossless(before) }),
    ...(after === undefined ? {} : { after: parseLossless(after) }),
  }
}

function contentOf(state: RecordState): RecordContent {
  const { full_name, data: text, incomplete, missing_since } = state
  return { full_name, data: json(text), incomplete, missing_since }
}

/** The values as JSON texts, in which numbers have their original digits. */
function plain({ data: members, ...rest }: RecordContent) {
  const texts = Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)])
  return { ...rest, data: Object.fromEntries(texts) }
}

function json(text: string) {
  const value = parseLossless(text)
  assert.ok(isJsonObject(value))
  return value
}
