import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'

const AUDIT = {
  actor: 'command line',
  action: 'secret.rotate',
  target: null,
  address: null,
} as const
const AT = '2026-03-10T08:00:00.000Z'

/** Inserts a signed-in operator with a second factor, and a sign-in that is not finished. */
async function addOperator(kit: StorageKit): Promise<void> {
  const { storage } = kit
  const statements = [
    `INSERT INTO operators (id, email, name, role, email_verified, created_at, updated_at)
     VALUES ('o1', 'ann@example.org', 'Ann', 'admin', ${await falseLiteral(storage)}, '${AT}', '${AT}')`,
    `INSERT INTO operator_second_factors (id, operator_id, secret, backup_codes)
     VALUES ('f1', 'o1', 'encrypted totp', 'encrypted codes')`,
    `INSERT INTO operator_sessions (id, operator_id, token, expires_at, created_at, updated_at)
     VALUES ('s1', 'o1', 'token', '2027-01-01T00:00:00.000Z', '${AT}', '${AT}')`,
    `INSERT INTO operator_verifications (id, identifier, value, expires_at, created_at, updated_at)
     VALUES ('v1', 'unfinished', 'o1', '2027-01-01T00:00:00.000Z', '${AT}', '${AT}')`,
  ]
  for (const statement of statements) await kit.runSql(statement)
}

async function falseLiteral(storage: StorageKit['storage']): Promise<string> {
  return (await storage.readEngine()).engine === 'sqlite' ? '0' : 'false'
}

test('only one of several concurrently offered reference keys is saved', async (kit) => {
  const { storage, reopen } = kit
  const offers = ['encrypted one', 'encrypted two', 'encrypted three']
  const saved = await Promise.all(
    offers.map((one) => storage.encryptedSecrets.ensureReferencesKey(one)),
  )
  assert.equal(new Set(saved).size, 1)
  assert.ok(offers.includes(saved[0] ?? ''))
  assert.equal(
    await (await reopen()).encryptedSecrets.ensureReferencesKey('encrypted four'),
    saved[0],
  )
})

test('re-encrypting replaces every secret, ends all sessions and is recorded in the audit log', async (kit) => {
  const { encryptedSecrets } = kit.storage
  await kit.register()
  await addOperator(kit)
  await encryptedSecrets.ensureReferencesKey('encrypted references')
  const before = await encryptedSecrets.listEncrypted()
  assert.deepEqual(
    before.map(({ of, purpose }) => `${of}: ${purpose}`),
    [
      'secret: source key',
      'secret: hub key',
      'secret: erased references',
      'totp secret: o1',
      'recovery codes: o1',
    ],
  )
  const texts = before.map((text) => ({ before: text, ciphertext: `new ${text.ciphertext}` }))
  assert.equal(await encryptedSecrets.reencrypt(texts, AUDIT), 'reencrypted')
  assert.deepEqual(
    await encryptedSecrets.listEncrypted(),
    before.map((text) => ({ ...text, ciphertext: `new ${text.ciphertext}` })),
  )
  assert.equal(await kit.countRows('operator_sessions'), 0)
  assert.equal(await kit.countRows('operator_verifications'), 0)
  const audit = await kit.runSql('SELECT action FROM audit ORDER BY audit_id DESC')
  const [entry] = audit
  assert.equal(entry?.['action'], 'secret.rotate')
})

test('re-encrypting is rejected if a secret was changed, added or deleted in the meantime', async (kit) => {
  const { encryptedSecrets } = kit.storage
  await kit.register()
  await addOperator(kit)
  const before = await encryptedSecrets.listEncrypted()
  const texts = before.map((text) => ({ before: text, ciphertext: 'new' }))
  const stale = texts.map((text, index) =>
    index === 1 ? { ...text, before: { ...text.before, ciphertext: 'another' } } : text,
  )
  for (const wrong of [stale, texts.slice(1), [...texts, ...stale.slice(1, 2)]]) {
    assert.equal(await encryptedSecrets.reencrypt(wrong, AUDIT), 'changed')
  }
  assert.deepEqual(await encryptedSecrets.listEncrypted(), before)
  assert.equal(await kit.countRows('operator_sessions'), 1)
  assert.equal(await kit.countRows('audit'), 1, 'the entry of the registration')
})

test('only one of two concurrent re-encryptions succeeds', async (kit) => {
  const { encryptedSecrets } = kit.storage
  await kit.register()
  const before = await encryptedSecrets.listEncrypted()
  const reencrypt = (ciphertext: string) =>
    encryptedSecrets.reencrypt(
      before.map((text) => ({ before: text, ciphertext })),
      AUDIT,
    )
  const outcomes = await Promise.all([reencrypt('one'), reencrypt('two')])
  assert.deepEqual(outcomes.toSorted(), ['changed', 'reencrypted'])
  const texts = new Set(
    (await encryptedSecrets.listEncrypted()).map(({ ciphertext }) => ciphertext),
  )
  assert.equal(texts.size, 1)
})
