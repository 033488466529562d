import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeLossless } from '../../../lib/lossless-json.ts'
import { parseEditedBody } from './edited-body.ts'

test('an unchanged body is not sent', () => {
  assert.deepEqual(parseEditedBody('{"a":1}', '{"a":1}'), { error: null, body: {} })
})

test('an edited body is sent with its numbers as written', () => {
  const { error, body } = parseEditedBody('{"n": 12345678901234567890.10}', '{}')
  assert.equal(error, null)
  assert.equal(writeLossless(body, ''), '{"body":{"n":12345678901234567890.10}}')
})

test('invalid JSON is reported and not sent', () => {
  const { error, body } = parseEditedBody('{"a":', '{}')
  assert.match(error ?? '', /Invalid JSON/)
  assert.deepEqual(body, {})
})
