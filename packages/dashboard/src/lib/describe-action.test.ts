import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeAction, describeDetails } from './describe-action.ts'

test('an action reads as what somebody did; one without words stands for itself', () => {
  assert.equal(describeAction('token.revoke'), 'Revoked a token')
  assert.equal(describeAction('thing.do_it'), 'Thing: do it')
})

test('details stand in one line, without what is empty', () => {
  const details = { role: 'viewer', disabled: true, invited_by: null, n: 3, list: ['a', 'b'] }
  assert.equal(describeDetails(details), 'role viewer · disabled yes · n 3 · list a, b')
  assert.equal(describeDetails({}), '')
  const browser = 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/145.0'
  assert.equal(describeDetails({ browser }), 'browser Firefox on Linux')
})
