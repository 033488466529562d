import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeAction, describeDetails } from './describe-action.ts'

test('a known action has a label, and the code of an unknown one is made readable', () => {
  assert.equal(describeAction('token.revoke'), 'Revoked a token')
  assert.equal(describeAction('thing.do_it'), 'Thing: do it')
})

test('details are shown on one line, without empty values', () => {
  const details = { role: 'viewer', disabled: true, invited_by: null, n: 3, list: ['a', 'b'] }
  assert.equal(describeDetails(details), 'role viewer · disabled yes · n 3 · list a, b')
  assert.equal(describeDetails({}), '')
  const browser = 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/145.0'
  assert.equal(describeDetails({ browser }), 'browser Firefox on Linux')
})
