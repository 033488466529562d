import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addLine,
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
  assert.equal(progressLabel(state), 'Searching: 4 of 5 platforms have responded, 2 found.')
  assert.equal(
    progressLabel(addLine(state, line('a', 'raw'))),
    'Searching: 5 of 5 platforms have responded, 2 found, 1 response in an unknown format.',
  )
})

test('a response without its end line is reported as interrupted', () => {
  const state = [started, hub].reduce(addLine, INITIAL)
  assert.equal(endResponse(state).progress, 'interrupted')
  assert.match(progressLabel(endResponse(state)), /was interrupted: 0 of 5/)
  const done = addLine(state, { kind: 'end' })
  assert.equal(endResponse(done), done)
})

test('progress labels cover the beginning and a hub without platforms', () => {
  assert.equal(progressLabel(INITIAL), 'Searching…')
  assert.equal(progressLabel(addLine(INITIAL, hub)), 'No active platforms to search.')
})
