import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findErrorMessage } from './error-message.ts'

test('the message of an error response is found in the forms of frameworks, and in no page', () => {
  const json = 'application/json'
  for (const [text, type, expected] of [
    ['{"success":false,"message":"Maintenance until 14:00"}', json, 'Maintenance until 14:00'],
    ['{"error":{"code":7,"message":"Locked"}}', json, 'Locked'],
    ['{"title":"Bad Gateway","detail":"No worker"}', 'application/problem+json', 'No worker'],
    ['{"message":"","error":"Down"}', json, 'Down'],
    ['Maintenance\n', 'text/plain; charset=utf-8', 'Maintenance'],
    ['<h1>503</h1>', 'text/html', ''],
    ['{"message":', json, ''],
    ['[]', json, ''],
  ] as const) {
    assert.equal(findErrorMessage(text, type), expected, text)
  }
})
