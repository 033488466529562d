import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeExact } from '../../../lib/exact-json.ts'
import { readMended } from './mended-body.ts'

test('an unchanged body is not sent', () => {
  assert.deepEqual(readMended('{"a":1}', '{"a":1}'), { fault: null, body: {} })
})

test('an edited body is sent with its numbers as written', () => {
  const { fault, body } = readMended('{"n": 12345678901234567890.10}', '{}')
  assert.equal(fault, null)
  assert.equal(writeExact(body, ''), '{"body":{"n":12345678901234567890.10}}')
})

test('invalid JSON is reported and not sent', () => {
  const { fault, body } = readMended('{"a":', '{}')
  assert.match(fault ?? '', /no JSON/)
  assert.deepEqual(body, {})
})
