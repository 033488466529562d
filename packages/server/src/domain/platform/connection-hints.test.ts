import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERROR_CODES, isErrorCode } from '../../errors.ts'
import { connectionHint } from './connection-hints.ts'

/** Codes of a pull or of the hub itself, which a connection test cannot return. */
const OTHER_CODES = new Set([
  ...[
    'platform_busy',
    'platform_page_rejected',
    'platform_ignores_prefix',
    'platform_already_registered',
    'platform_inactive',
    'source_key_required',
  ],
])

test('every code that a connection test can return has a cause and a fix that add to its message', () => {
  for (const code of Object.keys(ERROR_CODES)) {
    if (!isErrorCode(code) || !/^(platform|source)_/.test(code) || OTHER_CODES.has(code)) continue
    for (const text of Object.values(connectionHint(code))) {
      assert.ok(text.length > 20, code)
      assert.ok(!ERROR_CODES[code].message.includes(text), code)
    }
  }
  assert.deepEqual(connectionHint('not_found'), { cause: '', fix: '' })
})
