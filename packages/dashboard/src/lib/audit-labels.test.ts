import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionLabel, detailsLabel, targetLink } from './audit-labels.ts'

test('a known action has a label, and an unknown one is shown by its code', () => {
  assert.equal(actionLabel('token.revoke'), 'Revoked a token')
  assert.equal(actionLabel('thing.do_it'), 'Thing: do it')
})

test('a target leads to its page, unless it was erased', () => {
  const to = (action: string, target: string | null) => targetLink({ action, target })?.to ?? null
  assert.equal(to('holds.lift', 'record 17'), '/dashboard/records')
  assert.equal(to('record.erase', 'record 17'), null)
  assert.equal(to('pull.start', 'pull 3'), '/dashboard/pulls/$id')
  assert.equal(to('revert.plan', 'revert 3'), '/dashboard/reverts/$id')
  assert.equal(to('token.revoke', 'ci'), '/dashboard/settings')
  assert.equal(to('inbox.snooze', 'no_backup'), '/dashboard/inbox')
  assert.equal(to('platform.remove', 'school'), null)
  assert.equal(to('token.revoke_all', 'ann@example.org'), null)
})

test('details are shown on one line, without empty values', () => {
  const details = { role: 'viewer', disabled: true, invited_by: null, n: 3, list: ['a', 'b'] }
  assert.equal(detailsLabel(details), 'role viewer · disabled yes · n 3 · list a, b')
  assert.equal(detailsLabel({}), '')
  // The table shows it in the zone of the viewer.
  const at = '2026-11-21T07:30:00.000Z'
  assert.equal(detailsLabel({ expires_at: at }), `expires at ${at}`)
  const browser = 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/145.0'
  assert.equal(detailsLabel({ browser }), 'browser Firefox on Linux')
})
