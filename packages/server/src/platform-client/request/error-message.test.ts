import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HubError } from '../../errors.ts'
import { findErrorMessage, findReportedFailure, withRedactedKey } from './error-message.ts'

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

test('any success but true is a failure, told as it is with the message of the response; none says nothing', () => {
  const from = { path: '/api/hub/ping', key: 'secret-key' }
  const messageOf = (response: Record<string, unknown>) =>
    findReportedFailure(response, from)?.message ?? null
  assert.equal(messageOf({ success: true, message: 'Fine' }), null)
  assert.equal(messageOf({ message: 'Fine', records: [] }), null)
  for (const success of [false, null, 0, 1, '', 'true', 'error', 'secret-key', [], {}]) {
    const message = messageOf({ success, error: { message: 'The key secret-key is old' } })
    const value = success === 'secret-key' ? '"[key removed]"' : JSON.stringify(success)
    assert.ok(
      message?.includes(`("success": ${value}: The key [key removed] is old)`),
      message ?? '',
    )
  }
})

test('an error quotes the key neither in its message nor in the errors of members', async () => {
  const quoted = HubError.withMessage('platform_response_invalid', 'The key secret-key is old', {
    errors: { name: ['secret-key is no name'] },
  })
  await assert.rejects(
    withRedactedKey('secret-key', () => Promise.reject(quoted)),
    ({ message, errors }: HubError) => {
      assert.equal(message, 'The key [key removed] is old')
      assert.deepEqual(errors, { name: ['[key removed] is no name'] })
      return true
    },
  )
})
