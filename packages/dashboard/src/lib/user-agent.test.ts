import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userAgentLabel } from './user-agent.ts'

test('a browser is named by the most specific token of its user agent', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  for (const [text, label] of [
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/150.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64) ${webkit} Chrome/150.0 Safari/537.36 Edg/150.0`,
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 14.1; rv:150.0) Gecko/20100101 Firefox/150.0',
      'Firefox on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) Version/18.4 Mobile Safari/604.1',
      'Safari on iOS',
    ],
    ['Mozilla/5.0 (Linux; Android 15) Chrome/150.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['curl/8.7.1', 'curl'],
    ['something else', 'something else'],
    [null, 'Unknown program'],
  ] as const) {
    assert.equal(userAgentLabel(text), label)
  }
})
