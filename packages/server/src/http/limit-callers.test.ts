import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCESS, isForCallers } from './access.ts'
import { AT_ONCE } from './limit-callers.ts'

test('what may run only a few times at once is a route that asks who calls', () => {
  const strange = Object.keys(AT_ONCE).filter((name) => !isForCallers(ACCESS[name]))
  assert.deepEqual(strange, [])
})
