import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { replaceDocument } from '../lib/test-document.ts'
import { readCsrfToken, writeCsrfToken } from './csrf-token.ts'
import { session, waitForSignIn } from './session.ts'

describe('the session of the page', () => {
  before(replaceDocument)
  beforeEach(() => session.set({ operator: null, hasEnded: false, secondFactor: null }))

  test('the CSRF token is read from the meta tag of the page', () => {
    document.querySelector('meta[name="csrf-token"]')?.setAttribute('content', 'from the hub')
    assert.equal(readCsrfToken(), 'from the hub')
  })

  test('a rejected request of an earlier session does not open the sign-in dialog', async () => {
    writeCsrfToken('current')
    await waitForSignIn('previous')
    assert.equal(session.get().hasEnded, false)
    void waitForSignIn('current')
    assert.equal(session.get().hasEnded, true)
  })
})
