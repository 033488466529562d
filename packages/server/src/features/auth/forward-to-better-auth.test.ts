import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERROR_CODES } from '../../errors.ts'
import { toSignInError } from './forward-to-better-auth.ts'

test('every error of Better Auth becomes an error of the catalogue', () => {
  const codes = ['INVALID_EMAIL_OR_PASSWORD', 'INVALID_ORIGIN', 'FORBIDDEN', 'A_NEW_CODE']
  const texts = codes.map((code) => JSON.stringify({ code, message: 'Reason.' }))
  const errors = [...texts, '', 'Bad gateway', '{}', '{"code":7}'].map((text) =>
    toSignInError(text, ''),
  )
  for (const { code, message } of errors) {
    assert.ok(Object.hasOwn(ERROR_CODES, code))
    assert.doesNotMatch(message, /\{\w+\}/)
  }
  assert.deepEqual(
    errors.slice(0, 4).map(({ code }) => code),
    ['invalid_email_or_password', 'invalid_origin', 'sign_in_failed', 'sign_in_failed'],
  )
})
