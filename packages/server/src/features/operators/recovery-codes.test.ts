import assert from 'node:assert/strict'
import { test } from 'node:test'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import fc from 'fast-check'
import { hashRecoveryCode, recoveryCodes } from './recovery-codes.ts'

const SECRET = 'a secret of Better Auth, 32 characters or more'
const { customBackupCodesGenerate: create, storeBackupCodes: store } = recoveryCodes(SECRET)

/** What who has the database and the secret reads. */
const unseal = async (sealed: string) => symmetricDecrypt({ key: SECRET, data: sealed })

test('codes are of 140 random bits, in letters and digits that are not mistaken', () => {
  const codes = Array.from({ length: 100 }, create).flat()
  assert.equal(codes.length, 1000)
  const letters = new Set(codes.join('').replaceAll('-', ''))
  assert.equal(letters.size, 32, 'five bits each')
  for (const code of codes) assert.match(code, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){6}$/)
  const groups = new Set(codes.flatMap((code) => code.split('-')))
  assert.ok(groups.size > 6900, `${groups.size} of 7000 groups differ`)
})

test('what is stored has hashes alone, and stays as it is when the rest is stored again', async () => {
  const codes = create()
  const sealed = await store.encrypt(JSON.stringify(codes))
  const hashes = JSON.parse(await unseal(sealed))
  assert.deepEqual(hashes, codes.map(hashRecoveryCode))
  assert.equal(await store.decrypt(sealed), JSON.stringify(hashes))
  const rest = JSON.stringify(hashes.slice(1))
  assert.equal(await unseal(await store.encrypt(rest)), rest)
})

test('a list of an older version, which has the codes, is read as hashes', async () => {
  const data = '["aBcDe-01oIl","zZzZz-99999"]'
  const read = await store.decrypt(await symmetricEncrypt({ key: SECRET, data }))
  assert.equal(read, JSON.stringify(['aBcDe-01oIl', 'zZzZz-99999'].map(hashRecoveryCode)))
  assert.match(
    await unseal(await store.encrypt(read)),
    /^\["sha256:[\w-]{43}","sha256:[\w-]{43}"\]$/,
  )
})

test('a code is known however it is typed, and no other text for one', () => {
  const [code = ''] = create()
  const spelled = code.replaceAll('0', 'O').replaceAll('1', 'l')
  for (const typed of [
    code.toUpperCase(),
    code.replaceAll('-', ''),
    ` ${code.replaceAll('-', ' ')}\n`,
    code.replaceAll('-', '\u2014'),
    spelled,
    spelled.toUpperCase(),
    code.replaceAll(/[0-9a-z]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  ]) {
    assert.equal(hashRecoveryCode(typed), hashRecoveryCode(code), typed)
  }
  const hash = hashRecoveryCode(code)
  assert.notEqual(hashRecoveryCode(hash), hash)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => hashRecoveryCode(text) !== hash))
})
