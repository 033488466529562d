import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCESS, requiresCaller } from './access.ts'
import { MAX_CONCURRENT } from './rate-limit.ts'

test('every route with a concurrency limit requires authentication', () => {
  const unauthenticated = Object.keys(MAX_CONCURRENT).filter(
    (name) => !requiresCaller(ACCESS[name]),
  )
  assert.deepEqual(unauthenticated, [])
})
