import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCESS, isForCallers } from './access.ts'
import { AT_ONCE } from './rate-limit.ts'

test('every route with a concurrency limit requires authentication', () => {
  const strange = Object.keys(AT_ONCE).filter((name) => !isForCallers(ACCESS[name]))
  assert.deepEqual(strange, [])
})
