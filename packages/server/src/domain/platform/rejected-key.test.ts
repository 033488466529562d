import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKey, HUB_KEY_PREFIX, keyRejected } from './api-key.ts'

const { key } = createKey(HUB_KEY_PREFIX)

test('the error of a rejected key names what the caller sent, and only to a former holder what became of the key', () => {
  const former = { replaced_at: '2026-11-20T10:00:00.000Z', is_inactive: false }
  const cases = [
    [keyRejected('', null), /No X-API-KEY arrived/],
    [keyRejected('', null, true), /header Authorization, but no X-API-KEY/],
    [keyRejected('secret', null), /does not begin with rhk_/],
    [keyRejected(key.slice(0, -1), null), /checksum of the key is wrong/],
    [keyRejected(key, null), /does not know this key/],
    [keyRejected(key, former), /replaced on 2026-11-20/],
    [
      keyRejected(key, { replaced_at: null, is_inactive: true }),
      /platform is inactive: an operator/,
    ],
    [keyRejected(key, { replaced_at: null, is_inactive: false }), /no longer valid/],
  ] as const
  for (const [error, expected] of cases) {
    assert.equal(error.code, 'api_key_invalid')
    assert.match(
      error.message,
      /^The API key is missing or invalid, or the platform is inactive\. ./,
    )
    assert.match(error.message, expected)
  }
  const other = keyRejected(createKey(HUB_KEY_PREFIX).key, null)
  assert.equal(other.message, keyRejected(key, null).message)
})
