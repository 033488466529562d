import assert from 'node:assert/strict'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'
import { only } from '../../helpers/storage/fixtures.ts'
import { runSql } from '../../helpers/storage/sql.ts'

const AUDIT = {
  actor: 'ann@example.org',
  action: 'operator.change',
  target: null,
  address: '192.0.2.1',
} as const
const IN_A_DAY = '2026-03-11T08:00:00.000Z'

/** Inserts an operator and sessions as Better Auth does. */
async function addOperator(storage: Storage, id: string, role: string, sessions = 0) {
  await runSql(
    storage,
    `INSERT INTO operators (id, name, email, email_verified, role, created_at, updated_at)
     VALUES ('${id}', '${id}', '${id}@example.org', true, '${role}', '2026-03-10', '2026-03-10')`,
  )
  for (let n = 0; n < sessions; n++) {
    await runSql(
      storage,
      `INSERT INTO operator_sessions (id, operator_id, token, expires_at, created_at, updated_at)
       VALUES ('${id}${n}', '${id}', 'token ${id}${n}', '${IN_A_DAY}', '2026-03-10T08:00:00.000Z',
         '2026-03-10T08:00:0${n}.000Z')`,
    )
  }
}

function addToken({ operators }: Storage, name: string, role: 'viewer' | 'admin', owner: string) {
  return operators.createToken(
    {
      ...{ name, role, token_hash: `hash of ${name}`, hint: 'rht_…', expires_at: null },
      ...{ scope: null, operator_id: owner, created_by: `${owner}@example.org` },
      created_by_token_id: null,
    },
    () => AUDIT,
  )
}

test('an operator is created with the password, or not at all', async (kit) => {
  const { storage } = kit
  const { operators } = storage
  const ann = {
    email: 'ann@example.org',
    name: 'Ann',
    role: 'admin',
    password_hash: 'hash',
  } as const
  await kit.runSql('ALTER TABLE operator_accounts RENAME TO away')
  await assert.rejects(operators.createOperator(ann, null))
  assert.equal(await operators.hasOperators(), false)
  await kit.runSql('ALTER TABLE away RENAME TO operator_accounts')
  assert.equal(await operators.createOperator(ann, null), 'created')
  assert.equal(await operators.hasOperators(), true)
  assert.equal(only(await operators.listOperators()).has_password, true)
  const again = { ...ann, role: 'viewer' } as const
  assert.equal(await operators.createOperator(again, null), 'email_taken')
  assert.equal(only(await operators.listOperators()).role, 'admin')
})

test('of several attempts to create the first operator at once, one succeeds and none fails', async (kit) => {
  const { operators } = kit.storage
  const attempts = ['ann', 'ann', 'bob', 'ann'].map((name) =>
    operators.createFirstOperator({
      ...{ email: `${name}@example.org`, name, role: 'admin', password_hash: 'hash' },
    }),
  )
  const outcomes = await Promise.all(attempts)
  assert.deepEqual(outcomes.toSorted(), ['created', ...Array(3).fill('operator_exists')])
  assert.equal(only(await operators.listOperators()).has_password, true)
})

test('operators are listed by email with their sign-in methods and open sessions', async (kit) => {
  const { storage } = kit
  const at = '2026-03-10T08:30:00.000Z'
  await addOperator(storage, 'bob', 'viewer')
  await addOperator(storage, 'ann', 'admin', 2)
  await kit.runSql(`INSERT INTO operator_accounts (id, operator_id, account_id, provider_id, created_at, updated_at)
           VALUES ('a', 'ann', 'ann', 'credential', '2026-03-10', '2026-03-10')`)
  await storage.operators.touchSession('ann', 'ann0', at)
  const [used, other] = await storage.operators.listSessions('ann')
  assert.deepEqual([used?.id, used?.last_seen_at], ['ann0', at])
  assert.equal(other?.last_seen_at, '2026-03-10T08:00:01.000Z')
  const [ann, bob] = await storage.operators.listOperators()
  assert.deepEqual(ann, {
    id: 'ann',
    email: 'ann@example.org',
    name: 'ann',
    role: 'admin',
    created_at: '2026-03-10T00:00:00.000Z',
    disabled_at: null,
    last_seen_at: at,
    second_factor: false,
    passkeys: 0,
    has_password: true,
    single_sign_on: false,
    sessions: 2,
    alert_mails: false,
  })
  assert.deepEqual([bob?.id, bob?.has_password, bob?.sessions], ['bob', false, 0])
  assert.deepEqual(await storage.operators.readOperator('ann'), ann)
  assert.equal(await storage.operators.readOperator('eve'), null)
})

test('operators change their name and choose mails, which disabled and removed ones do not get', async (kit) => {
  const { operators, activity } = kit.storage
  await addOperator(kit.storage, 'ann', 'admin', 1)
  await addOperator(kit.storage, 'bob', 'viewer')
  await addOperator(kit.storage, 'eve', 'viewer')
  const audit = {
    ...({ actor: 'ann', action: 'account.change', target: null, address: null } as const),
  }
  assert.equal(await operators.changeAccount('nobody', { name: 'x' }, audit), null)
  const all = { actor: null, action: null, actions: null, target: null, from: null, until: null }
  const written = async () =>
    (await activity.listAudit({ ...all, limit: 9, before: null })).map(({ action }) => action)
  assert.deepEqual(await written(), [])
  const named = await operators.changeAccount('ann', { name: 'Ann Lee' }, audit)
  assert.deepEqual([named?.name, named?.alert_mails, named?.sessions], ['Ann Lee', false, 1])
  for (const id of ['ann', 'bob', 'eve']) {
    await operators.changeAccount(id, { alert_mails: true }, audit)
  }
  const recipients = ['ann@example.org', 'bob@example.org', 'eve@example.org']
  assert.deepEqual(await operators.listAlertRecipients(), recipients)
  await operators.changeOperator('bob', { disabled: true }, audit)
  await operators.removeOperator('eve', audit)
  assert.deepEqual(await operators.listAlertRecipients(), ['ann@example.org'])
  const ended = await operators.changeAccount('ann', { alert_mails: false }, audit)
  assert.deepEqual([ended?.name, ended?.alert_mails], ['Ann Lee', false])
  assert.deepEqual(await operators.listAlertRecipients(), [])
})

test('disabling an operator ends all sessions and tokens, and enabling restores none', async (kit) => {
  const { storage, clock } = kit
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin', 1)
  await addOperator(storage, 'bob', 'admin', 3)
  await addToken(storage, 'of bob', 'viewer', 'bob')
  await addToken(storage, 'of ann', 'viewer', 'ann')
  assert.equal(await operators.changeOperator('bob', { disabled: true }, AUDIT), 'changed')
  assert.equal((await operators.readOperator('bob'))?.disabled_at, clock.text)
  assert.deepEqual(await operators.listSessions('bob'), [])
  assert.equal((await operators.listSessions('ann')).length, 1)
  assert.equal(await operators.findToken('hash of of bob', clock.text), null)
  assert.ok(await operators.findToken('hash of of ann', clock.text))
  assert.equal(await operators.changeOperator('bob', { disabled: false }, AUDIT), 'changed')
  assert.equal((await operators.readOperator('bob'))?.disabled_at, null)
  assert.equal(await operators.findToken('hash of of bob', clock.text), null)
})

test('a token or session created after its operator was demoted, disabled or removed is invalid', async (kit) => {
  const { storage } = kit
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin')
  await addOperator(storage, 'bob', 'admin')
  const rejectsToken = (name: string, role: 'viewer' | 'admin', owner: string) =>
    assert.rejects(addToken(storage, name, role, owner), { code: 'forbidden' })
  await operators.changeOperator('bob', { role: 'viewer' }, AUDIT)
  await rejectsToken('higher role', 'admin', 'bob')
  await addToken(storage, 'same role', 'viewer', 'bob')
  await operators.changeOperator('bob', { disabled: true }, AUDIT)
  await rejectsToken('disabled', 'viewer', 'bob')
  await kit.runSql(`INSERT INTO operator_sessions (id, operator_id, token, expires_at, created_at, updated_at)
           VALUES ('late', 'bob', 'late', '${IN_A_DAY}', '2026-03-10', '2026-03-10')`)
  await operators.changeOperator('bob', { disabled: false }, AUDIT)
  assert.deepEqual(await operators.listSessions('bob'), [])
  await operators.removeOperator('bob', AUDIT)
  await rejectsToken('removed', 'viewer', 'bob')
  await addOperator(storage, 'cat', 'admin')
  await Promise.allSettled([
    operators.changeOperator('cat', { disabled: true }, AUDIT),
    addToken(storage, 'concurrent', 'viewer', 'cat'),
  ])
  assert.deepEqual(await operators.listTokens(null), [])
})

test('setting or replacing a password ends all sessions of the operator', async (kit) => {
  const { storage } = kit
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin', 2)
  await addOperator(storage, 'bob', 'admin', 1)
  for (const hash of ['first', 'second']) {
    assert.equal(await operators.setPassword('ann', hash, AUDIT), true)
    const rows = await kit.runSql(
      'SELECT operator_id, provider_id, password FROM operator_accounts',
    )
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ operator_id: 'ann', provider_id: 'credential', password: hash }],
    )
  }
  assert.deepEqual(await operators.listSessions('ann'), [])
  assert.equal((await operators.listSessions('bob')).length, 1)
  const before = await kit.countRows('audit')
  assert.equal(await operators.setPassword('eve', 'third', AUDIT), false)
  assert.equal(await kit.countRows('audit'), before)
})

test('changing the role ends all sessions, and setting the same role ends none', async (kit) => {
  const { storage } = kit
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin', 2)
  await addOperator(storage, 'bob', 'viewer', 2)
  await operators.changeOperator('bob', { role: 'viewer' }, AUDIT)
  assert.equal((await operators.listSessions('bob')).length, 2)
  await operators.changeOperator('bob', { role: 'admin' }, AUDIT)
  assert.deepEqual(await operators.listSessions('bob'), [])
  assert.equal((await operators.listSessions('ann')).length, 2)
})

test('expired and idle sessions are deleted, and others are not', async (kit) => {
  const { storage } = kit
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin', 3)
  const seenBefore = '2026-03-10T08:00:01.000Z'
  await operators.deleteEndedSessions({ at: '2026-03-10T09:00:00.000Z', seenBefore })
  const remaining = await operators.listSessions('ann')
  assert.deepEqual(
    remaining.map(({ id }) => id),
    ['ann2', 'ann1'],
  )
  await operators.deleteEndedSessions({ at: IN_A_DAY, seenBefore })
  assert.equal(await kit.countRows('operator_sessions'), 0)
})

test('lowering the role revokes the tokens above the new role', async ({ storage, clock }) => {
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin')
  await addOperator(storage, 'bob', 'admin')
  await addToken(storage, 'high', 'admin', 'bob')
  await addToken(storage, 'low', 'viewer', 'bob')
  assert.equal(await operators.changeOperator('bob', { role: 'operator' }, AUDIT), 'changed')
  assert.equal(await operators.findToken('hash of high', clock.text), null)
  assert.ok(await operators.findToken('hash of low', clock.text))
  assert.deepEqual(
    (await operators.listTokens('bob')).map((token) => token.name),
    ['low'],
  )
})

test('the last enabled admin cannot be demoted, disabled or removed', async (kit) => {
  const { storage } = kit
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin', 1)
  await addOperator(storage, 'bob', 'admin')
  await addOperator(storage, 'eve', 'operator')
  await operators.changeOperator('bob', { disabled: true }, AUDIT)
  const before = await kit.countRows('audit')
  for (const change of [{ role: 'viewer' as const }, { disabled: true }]) {
    assert.equal(await operators.changeOperator('ann', change, AUDIT), 'last_admin')
  }
  assert.equal(await operators.removeOperator('ann', AUDIT), 'last_admin')
  assert.equal((await operators.listSessions('ann')).length, 1)
  assert.equal(await kit.countRows('audit'), before)
  assert.equal(await operators.changeOperator('eve', { role: 'viewer' }, AUDIT), 'changed')
  assert.equal(await operators.changeOperator('none', { disabled: true }, AUDIT), 'unknown')
  assert.equal(await operators.removeOperator('none', AUDIT), 'unknown')
})

test('concurrent changes never remove the last admin', async ({ storage }) => {
  const ids = Array.from({ length: 8 }, (_, index) => `a${index}`)
  for (const id of ids) await addOperator(storage, id, 'admin')
  const outcomes = await Promise.all(
    ids.map((id, index) =>
      index % 2 === 0
        ? storage.operators.removeOperator(id, AUDIT)
        : storage.operators.changeOperator(id, { role: 'viewer' }, AUDIT),
    ),
  )
  assert.equal(outcomes.filter((outcome) => outcome === 'last_admin').length, 1)
  const admins = (await storage.operators.listOperators()).filter((o) => o.role === 'admin')
  assert.equal(admins.length, 1)
})

test('removing an operator deletes all sessions and invalidates all tokens', async (kit) => {
  const { storage, clock } = kit
  await addOperator(storage, 'ann', 'admin')
  await addOperator(storage, 'bob', 'viewer', 2)
  await addToken(storage, 'of bob', 'viewer', 'bob')
  assert.equal(await storage.operators.removeOperator('bob', AUDIT), 'changed')
  assert.equal(await kit.countRows('operator_sessions'), 0)
  assert.equal(await storage.operators.findToken('hash of of bob', clock.text), null)
  assert.deepEqual(
    (await storage.operators.listOperators()).map((one) => one.id),
    ['ann'],
  )
})

test('an operator lists and ends only their own sessions', async (kit) => {
  const { storage, clock } = kit
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin', 3)
  await addOperator(storage, 'bob', 'viewer', 1)
  assert.deepEqual(
    (await operators.listSessions('ann')).map((session) => session.id),
    ['ann2', 'ann1', 'ann0'],
  )
  assert.equal(await operators.endSession('ann', 'bob0', AUDIT), false)
  assert.equal(await kit.countRows('audit'), 0)
  assert.equal(await operators.endSession('ann', 'ann1', AUDIT), true)
  assert.equal(await operators.endSessions('ann', 'ann2', AUDIT), 1)
  const remaining = only(await operators.listSessions('ann'))
  assert.equal(remaining.id, 'ann2')
  assert.equal(remaining.expires_at, IN_A_DAY)
  assert.equal((await operators.listSessions('bob')).length, 1)
  clock.set(IN_A_DAY)
  assert.deepEqual(await operators.listSessions('bob'), [])
})

test('a two-factor code is accepted once, from one of many concurrent attempts', async (kit) => {
  const { storage } = kit
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin')
  assert.equal(await operators.consumeCode('ann', 'first'), false)
  await kit.runSql(`INSERT INTO operator_second_factors (id, operator_id, secret, backup_codes)
           VALUES ('f', 'ann', 's', 'b')`)
  const attempts = await Promise.all([1, 2, 3, 4].map(() => operators.consumeCode('ann', 'first')))
  assert.equal(attempts.filter(Boolean).length, 1)
  for (const hash of ['other', 'third', 'abcde']) {
    assert.equal(await operators.consumeCode('ann', hash), true)
    assert.equal(await operators.consumeCode('ann', 'first'), false, `again after ${hash}`)
  }
  assert.equal(
    await operators.consumeCode('ann', 'fir_t'),
    true,
    'the code is not used as a pattern',
  )
  assert.equal(await operators.consumeCode('ann', 'FIRST'), true)
  assert.equal(
    await operators.consumeCode('ann', 'first'),
    true,
    'only the last five codes are stored',
  )
  assert.equal(await operators.removeSecondFactor('ann', AUDIT), true)
  assert.equal(await operators.removeSecondFactor('ann', AUDIT), false)
  assert.equal((await operators.readOperator('ann'))?.second_factor, false)
})

test('removing the second factor deletes all passkeys and sessions, even if there are only passkeys', async (kit) => {
  const { storage } = kit
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin', 1)
  await addOperator(storage, 'bob', 'viewer', 1)
  for (const [id, owner] of ['ann', 'ann', 'bob'].entries()) {
    await kit.runSql(`INSERT INTO operator_passkeys
               (id, operator_id, public_key, credential_id, counter, device_type, backed_up)
             VALUES ('${id}', '${owner}', 'k', 'c${id}', 0, 'singleDevice', false)`)
  }
  assert.equal(await operators.removeSecondFactor('ann', AUDIT), true)
  assert.equal((await operators.readOperator('ann'))?.passkeys, 0)
  assert.equal((await operators.readOperator('bob'))?.passkeys, 1)
  assert.deepEqual(await operators.listSessions('ann'), [])
  assert.equal((await operators.listSessions('bob')).length, 1)
  assert.equal(await kit.countRows('audit'), 1)
})

test('strengthening a session changes only that session', async (kit) => {
  const { storage } = kit
  await addOperator(storage, 'ann', 'admin', 2)
  await storage.operators.markSessionStrong('ann0')
  await storage.operators.markSessionStrong('none')
  const rows = await kit.runSql('SELECT id, strong FROM operator_sessions ORDER BY id')
  assert.deepEqual(
    rows.map(({ id, strong }) => [id, Boolean(strong)]),
    [
      ['ann0', true],
      ['ann1', false],
    ],
  )
})

test('a token is revoked only by its owner or by a caller allowed to revoke all tokens', async (kit) => {
  const { storage, clock } = kit
  const { operators } = storage
  await addOperator(storage, 'ann', 'admin')
  await addOperator(storage, 'bob', 'viewer')
  const token = await addToken(storage, 'of bob', 'viewer', 'bob')
  const audit = ({ name }: { name: string }) => ({ ...AUDIT, target: name })
  assert.equal(await operators.revokeToken(token.id, 'ann', audit), null)
  assert.ok(await operators.findToken('hash of of bob', clock.text))
  assert.equal((await operators.revokeToken(token.id, 'bob', audit))?.name, 'of bob')
  assert.equal(await operators.revokeToken(token.id, null, audit), null)
  assert.deepEqual(await operators.listTokens(null), [])
  const entries = await storage.activity.listAudit({ ...ANY, action: 'operator.change' })
  assert.deepEqual(
    entries.map((entry) => entry.target),
    ['of bob', null],
  )
})

const ANY: Parameters<Storage['activity']['listAudit']>[0] = {
  ...{ actor: null, action: null, actions: null, target: null, from: null, until: null },
  ...{ limit: 50, before: null },
}
