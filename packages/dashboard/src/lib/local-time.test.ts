import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromLocalInput, toLocalInput } from './local-time.ts'

test('a time survives a datetime-local input, to the minute', () => {
  for (const iso of ['2026-11-21T07:30:00.000Z', '2026-03-29T01:30:00.000Z']) {
    assert.equal(fromLocalInput(toLocalInput(iso)), iso)
  }
})

test('an invalid time has no value', () => {
  for (const text of ['', 'x', '2026-13-01T00:00']) assert.equal(fromLocalInput(text), null)
  for (const iso of [undefined, '', 'yesterday']) assert.equal(toLocalInput(iso), '')
})
