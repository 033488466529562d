import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addLine,
  compareRecord,
  endResponse,
  INITIAL,
  type PlatformLine,
  progressLabel,
  sortLanes,
} from './search-lanes.ts'

const started = {
  kind: 'started' as const,
  platforms: ['a', 'b', 'c', 'd', 'e'].map((platform_name) => ({
    platform_name,
    display_title: platform_name.toUpperCase(),
  })),
}
const line = (
  platform_name: string,
  outcome: PlatformLine['outcome'],
  found = 0,
): PlatformLine => ({
  kind: 'platform',
  platform_name,
  outcome,
  found,
  records: [],
  raw: null,
  error: null,
  took_ms: 1,
})
const hub = {
  kind: 'hub' as const,
  records: [],
  estimated_total: 0,
  total_is_estimate: false,
  complete: true,
  search_lag: 0,
  error: null,
  took_ms: 12,
}

test('lanes fill as platforms respond, with results first', () => {
  const state = [
    started,
    hub,
    line('b', 'found', 2),
    line('c', 'no_endpoint'),
    line('d', 'failed'),
    line('e', 'found'),
  ].reduce(addLine, INITIAL)
  assert.deepEqual(
    sortLanes(state.lanes).map(({ platform_name }) => platform_name),
    ['b', 'a', 'd', 'e', 'c'],
  )
  assert.equal(progressLabel(state), '4 of 5 responded')
})

test('a response without its end line is reported as interrupted', () => {
  const state = [started, hub].reduce(addLine, INITIAL)
  assert.equal(endResponse(state).progress, 'interrupted')
  assert.equal(progressLabel(endResponse(state)), '0 of 5 responded')
  const done = addLine(state, { kind: 'end' })
  assert.equal(endResponse(done), done)
})

test('progress labels cover the beginning and a hub without platforms', () => {
  assert.equal(progressLabel(INITIAL), 'searching…')
  assert.equal(progressLabel(addLine(INITIAL, hub)), 'no active platforms')
})

test('a record of a platform is compared with that of the hub by the members that it sent', () => {
  const stored = {
    record_id: 7,
    platform_name: 'p',
    module_name: 'M',
    record_type: 'm',
    reference_number: 'R',
    full_name: 'Ann',
    data: { a: 1, b: { c: [1] }, d: null },
    incomplete: false,
    missing_since: null,
    missing_reason: null,
    created_at: '',
    updated_at: '',
  }
  const found = { reference_number: 'R', record_type: null, full_name: 'Ann', data: {} }
  const outcomeOf = (changes: object) => compareRecord({ ...found, ...changes }, [stored]).outcome
  assert.equal(outcomeOf({ data: { b: { c: [1] }, e: null } }), 'same')
  assert.equal(outcomeOf({ data: { a: '1' } }), 'differs')
  assert.equal(outcomeOf({ full_name: 'Bob' }), 'differs')
  assert.equal(outcomeOf({ record_type: 'n' }), 'absent')
  assert.equal(outcomeOf({ reference_number: null }), 'unknown')
  assert.equal(outcomeOf({ full_name: null, data: {} }), 'unknown')
})
