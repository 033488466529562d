import assert from 'node:assert/strict'
import { test } from 'node:test'
import { session, waitForSignIn } from './session.ts'

test('a call that was refused for the session before does not ask for a sign-in', async () => {
  const now = { operator: null, csrfToken: 'of now', hasEnded: false, wanted: null }
  session.set(now)
  await waitForSignIn('of the session before')
  assert.equal(session.get().hasEnded, false)
  void waitForSignIn('of now')
  assert.equal(session.get().hasEnded, true)
})
