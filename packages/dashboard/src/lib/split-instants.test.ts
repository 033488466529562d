import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitInstants } from './split-instants.ts'

test('a message is split at its timestamps', () => {
  assert.deepEqual(splitInstants('No push since 2026-11-21T07:30:00.000Z: HTTP 500'), [
    { text: 'No push since ' },
    { at: '2026-11-21T07:30:00.000Z' },
    { text: ': HTTP 500' },
  ])
  assert.deepEqual(splitInstants('HTTP 500'), [{ text: 'HTTP 500' }])
})

test('an invalid timestamp stays text', () => {
  assert.deepEqual(
    splitInstants('2026-99-21T07:30:00Z').filter((part) => 'at' in part),
    [],
  )
})
