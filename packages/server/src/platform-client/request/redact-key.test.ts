import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HubError } from '../../errors.ts'
import { withRedactedKey } from './error-message.ts'

const KEY = 'a-source-key-of-a-platform'
const failWith = (error: unknown) =>
  withRedactedKey(KEY, () => Promise.reject(error)).then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  )

test('an error without the key in its message, or of another class, is unchanged', async () => {
  const error = new HubError('platform_throttled', { path: 'ping' }, { retryAfterSeconds: 7 })
  assert.equal(await failWith(error), error)
  const foreign = new TypeError(KEY)
  assert.equal(await failWith(foreign), foreign)
})

test('the key is redacted from the message and the errors, and the cause is removed', async () => {
  const path = `ping?key=${KEY}`
  const options = {
    errors: { key: [`${KEY} is not known`] },
    retryAfterSeconds: 7,
    cause: new Error(KEY),
  }
  const thrown = await failWith(new HubError('platform_throttled', { path }, options))
  assert.ok(thrown instanceof HubError)
  const { code, status, retryAfterSeconds, errors, message, cause } = thrown
  assert.deepEqual([code, status, retryAfterSeconds], ['platform_throttled', 503, 7])
  assert.match(message, /at ping\?key=\[key removed\]/)
  assert.deepEqual(errors, { key: ['[key removed] is not known'] })
  assert.equal(cause, undefined)
})

test('a key that occurs only in the errors of members is redacted there', async () => {
  const reason = 'its members'
  const error = new HubError('invalid_request', { reason }, { errors: { [KEY]: [KEY] } })
  const thrown = await failWith(error)
  assert.ok(thrown instanceof HubError)
  assert.equal(thrown.message, error.message)
  assert.deepEqual(thrown.errors, { '[key removed]': ['[key removed]'] })
})
