import assert from 'node:assert/strict'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'

const AUDIT = {
  actor: 'ann@example.org',
  action: 'operator.change',
  target: null,
  address: '192.0.2.1',
} as const
const IN_A_DAY = '2026-03-11T08:00:00.000Z'

const invite = (
  { invitations }: Storage,
  token_hash: string,
  email = 'bob@example.org',
  operator_id: string | null = null,
) =>
  invitations.createInvitation(
    {
      ...{ email, role: 'operator', token_hash },
      ...{ invited_by: 'ann', expires_at: IN_A_DAY, operator_id, created_by_token_id: null },
    },
    AUDIT,
  )

test('an invitation is found by its token until it expires, and only one of many callers accepts it', async (kit) => {
  const { storage, clock } = kit
  const { invitations } = storage
  const invitation = await invite(storage, 'hash')
  assert.deepEqual(await invitations.findInvitation('hash', clock.text), invitation)
  assert.deepEqual(await invitations.findInvitationOf(invitation.email, clock.text), invitation)
  assert.equal(await invitations.findInvitation('other', clock.text), null)
  assert.equal(await invitations.findInvitation('hash', IN_A_DAY), null)
  assert.equal(await invitations.acceptInvitation(invitation.id, IN_A_DAY), false)
  const attempts = [1, 2, 3, 4].map(() => invitations.acceptInvitation(invitation.id, clock.text))
  assert.equal((await Promise.all(attempts)).filter(Boolean).length, 1)
  assert.equal(await invitations.findInvitation('hash', clock.text), null)
  assert.deepEqual(await invitations.listInvitations(), [])
})

test('one of many callers creates the operator of an invitation, which stays open if none can be created', async (kit) => {
  const { storage, clock } = kit
  const { invitations, operators } = storage
  const { id, email } = await invite(storage, 'hash')
  const invited = { email, name: 'Bob', role: 'viewer', password_hash: 'hash' } as const
  await kit.runSql('ALTER TABLE operator_accounts RENAME TO away')
  await assert.rejects(operators.createOperator(invited, id))
  await kit.runSql('ALTER TABLE away RENAME TO operator_accounts')
  assert.ok(await invitations.findInvitation('hash', clock.text))
  const ann = { ...invited, email: 'ann@example.org' }
  assert.equal(await operators.createOperator(ann, null), 'created')
  assert.equal(await operators.createOperator(ann, id), 'email_taken')
  assert.ok(await invitations.findInvitation('hash', clock.text))
  const attempts = [1, 2, 3, 4].map(() => operators.createOperator(invited, id))
  const outcomes = (await Promise.all(attempts)).sort()
  const invalid = 'invitation_invalid'
  assert.deepEqual(outcomes, ['created', invalid, invalid, invalid])
  assert.equal((await operators.listOperators()).length, 2)
})

test('a new invitation replaces an earlier one for the same email, and withdrawing is final', async (kit) => {
  const { storage, clock } = kit
  const { invitations } = storage
  await invite(storage, 'first')
  const later = await invite(storage, 'later')
  assert.equal(await invitations.findInvitation('first', clock.text), null)
  assert.deepEqual(await invitations.listInvitations(), [later])
  const audit = () => AUDIT
  assert.deepEqual(await invitations.withdrawInvitation(later.id, audit), later)
  assert.equal(await invitations.withdrawInvitation(later.id, audit), null)
  assert.equal(await invitations.findInvitation('later', clock.text), null)
})

const LOSSES: [string, (storage: Storage, id: string) => Promise<unknown>][] = [
  ['removed', ({ operators }, id) => operators.removeOperator(id, AUDIT)],
  ['disabled', ({ operators }, id) => operators.changeOperator(id, { disabled: true }, AUDIT)],
  ['demoted', ({ operators }, id) => operators.changeOperator(id, { role: 'operator' }, AUDIT)],
]
for (const [loss, lose] of LOSSES) {
  test(`an admin who is ${loss} takes along the open invitations`, async ({
    storage,
    clock,
    runSql,
  }) => {
    for (const id of ['ann', 'root']) {
      await runSql(
        `INSERT INTO operators (id, name, email, email_verified, role, created_at, updated_at)
         VALUES ('${id}', '${id}', '${id}@example.org', true, 'admin', '2026-03-10', '2026-03-10')`,
      )
    }
    await invite(storage, 'of ann', 'bob@example.org', 'ann')
    const kept = await invite(storage, 'of root', 'carl@example.org', 'root')
    assert.equal(await lose(storage, 'ann'), 'changed')
    assert.deepEqual(await storage.invitations.listInvitations(), [kept])
    assert.equal(await storage.invitations.findInvitation('of ann', clock.text), null)
    await assert.rejects(invite(storage, 'late', 'dan@example.org', 'ann'), { code: 'forbidden' })
  })
}
