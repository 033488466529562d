import assert from 'node:assert/strict'
import { MAX_TOKENS, type OperatorStore } from '../../../src/storage/port/operator-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { only } from '../../helpers/storage/fixtures.ts'

const AUDIT = {
  actor: 'ann@example.org',
  action: 'token.create',
  target: 'ci',
  address: null,
} as const

test('a created token is found by its hash, with its role, and recorded in the audit log', async (kit) => {
  const { storage, clock } = kit
  const { operators } = storage
  const given = newToken({ role: 'operator', expires_at: '2027-01-01T00:00:00.000Z' })
  const token = await operators.createToken(given, () => AUDIT)
  const { id, ...rest } = token
  assert.ok(id > 0)
  const { token_hash, operator_id, created_by_token_id: _, ...shown } = given
  assert.deepEqual(rest, { ...shown, created_at: clock.text, last_used_at: null })
  const found = await operators.findToken(token_hash, clock.text)
  assert.deepEqual(found, { token, operator_id })
  assert.equal(await operators.findToken('another hash', clock.text), null)
  assert.equal(await operators.findToken('', clock.text), null)
  assert.equal(only(await kit.runSql('SELECT * FROM audit'))['action'], 'token.create')
})

test('a token with a duplicate hash is not created and not recorded in the audit log', async (kit) => {
  const { storage, clock } = kit
  const { operators } = storage
  const first = await operators.createToken(newToken(), () => AUDIT)
  await assert.rejects(operators.createToken(newToken({ name: 'other' }), () => AUDIT))
  assert.equal((await operators.findToken('hash', clock.text))?.token.name, first.name)
  assert.equal(await kit.countRows('audit'), 1)
})

test('a token is valid until it expires, and a token without an expiry is always valid', async ({
  storage: { operators },
}) => {
  const expires_at = '2026-03-10T09:00:00.000Z'
  await operators.createToken(newToken({ expires_at }), () => AUDIT)
  await operators.createToken(newToken({ token_hash: 'no expiry' }), () => AUDIT)
  assert.ok(await operators.findToken('hash', '2026-03-10T08:59:59.999Z'))
  assert.equal(await operators.findToken('hash', expires_at), null)
  assert.ok(await operators.findToken('no expiry', '2126-03-10T09:00:00.000Z'))
})

test('a revoked token is not found', async (kit) => {
  const { storage, clock } = kit
  await storage.operators.createToken(newToken(), () => AUDIT)
  await kit.runSql(`UPDATE api_tokens SET revoked_at = '${clock.text}'`)
  assert.equal(await storage.operators.findToken('hash', clock.text), null)
})

test('the last use of a token is recorded at most once a minute', async ({
  storage: { operators },
}) => {
  await operators.createToken(newToken(), () => AUDIT)
  const lastUseAt = async (at: string) =>
    (await operators.findToken('hash', at))?.token.last_used_at
  assert.equal(await lastUseAt('2026-03-10T09:00:10.000Z'), null)
  assert.equal(await lastUseAt('2026-03-10T09:00:20.000Z'), '2026-03-10T09:00:10.000Z')
  assert.equal(await lastUseAt('2026-03-10T09:02:00.000Z'), '2026-03-10T09:00:10.000Z')
  assert.equal(await lastUseAt('2026-03-10T09:02:01.000Z'), '2026-03-10T09:02:00.000Z')
})

test('a revoked token takes along the tokens that it created, and the open invitations of all of them', async (kit) => {
  const { operators, invitations } = kit.storage
  const create = (name: string, created_by_token_id: number | null) =>
    operators.createToken(newToken({ name, token_hash: name, created_by_token_id }), () => AUDIT)
  const first = await create('first', null)
  const second = await create('second', first.id)
  const third = await create('third', second.id)
  const other = await create('other', null)
  const invite = (email: string, created_by_token_id: number) =>
    invitations.createInvitation(
      {
        ...{ email, role: 'admin', token_hash: email, invited_by: 'ann' },
        ...{ expires_at: '2027-01-01T00:00:00.000Z', operator_id: null, created_by_token_id },
      },
      AUDIT,
    )
  await kit.runSql(`UPDATE api_tokens SET role = 'admin'`)
  const accepted = await invite('accepted@example.org', third.id)
  await invitations.acceptInvitation(accepted.id, kit.clock.text)
  await invite('open@example.org', third.id)
  const kept = await invite('kept@example.org', other.id)
  const revoked = await operators.revokeToken(first.id, null, () => AUDIT)
  assert.equal(revoked?.id, first.id)
  assert.deepEqual(
    (await operators.listTokens(null)).map(({ id }) => id),
    [other.id],
  )
  assert.deepEqual(
    (await invitations.listInvitations()).map(({ id }) => id),
    [kept.id],
  )
  await assert.rejects(create('late', second.id), { code: 'forbidden' })
  await assert.rejects(invite('late@example.org', second.id), { code: 'forbidden' })
})

test('an operator has at most 50 tokens, each with a name of its own', async (kit) => {
  const { operators } = kit.storage
  for (const id of ['ann', 'bob']) {
    await kit.runSql(
      `INSERT INTO operators (id, name, email, email_verified, role, created_at, updated_at)
       VALUES ('${id}', '${id}', '${id}@example.org', true, 'viewer', '2026-03-10', '2026-03-10')`,
    )
  }
  const create = (name: string, operator_id: string) =>
    operators.createToken(
      newToken({ name, operator_id, token_hash: `${name} ${operator_id}` }),
      () => AUDIT,
    )
  const first = await create('1', 'ann')
  await assert.rejects(create('1', 'ann'), { code: 'token_name_taken' })
  await create('1', 'bob')
  for (let n = 2; n <= MAX_TOKENS; n += 1) await create(String(n), 'ann')
  await assert.rejects(create('one more', 'ann'), { code: 'too_many_tokens' })
  await operators.revokeToken(first.id, 'ann', () => AUDIT)
  await operators.createToken(
    newToken({ operator_id: 'ann', name: '1', token_hash: 'another hash' }),
    () => AUDIT,
  )
  assert.equal(await operators.revokeTokens('ann', () => AUDIT), MAX_TOKENS)
  assert.equal((await operators.listTokens(null)).length, 1)
})

type NewToken = Parameters<OperatorStore['createToken']>[0]

function newToken(over: Partial<NewToken> = {}): NewToken {
  const token = { name: 'ci', role: 'viewer', token_hash: 'hash', hint: 'rht_…' } as const
  const creator = { operator_id: null, created_by_token_id: null, created_by: 'ann' }
  return { ...token, scope: null, expires_at: null, ...creator, ...over }
}
