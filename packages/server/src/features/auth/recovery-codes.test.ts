import assert from 'node:assert/strict'
import { test } from 'node:test'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { hashRecoveryCode } from '../../domain/auth/second-factor.ts'
import { recoveryCodes } from './better-auth-plugins.ts'

const SECRET = 'a secret of Better Auth, 32 characters or more'
const { customBackupCodesGenerate: create, storeBackupCodes: store } = recoveryCodes(SECRET)

/** What an attacker with the database and the secret can read. */
const decrypt = async (ciphertext: string) => symmetricDecrypt({ key: SECRET, data: ciphertext })

test('recovery codes have 140 random bits, in characters that are not easily confused', () => {
  const codes = Array.from({ length: 100 }, create).flat()
  assert.equal(codes.length, 1000)
  const letters = new Set(codes.join('').replaceAll('-', ''))
  assert.equal(letters.size, 32, 'five bits each')
  for (const code of codes) assert.match(code, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){6}$/)
  const groups = new Set(codes.flatMap((code) => code.split('-')))
  assert.ok(groups.size > 6900, `${groups.size} of 7000 groups differ`)
})

test('only hashes are stored, and they stay the same when the list is stored again', async () => {
  const codes = create()
  const ciphertext = await store.encrypt(JSON.stringify(codes))
  const hashes = JSON.parse(await decrypt(ciphertext))
  assert.deepEqual(hashes, codes.map(hashRecoveryCode))
  assert.equal(await store.decrypt(ciphertext), JSON.stringify(hashes))
  const rest = JSON.stringify(hashes.slice(1))
  assert.equal(await decrypt(await store.encrypt(rest)), rest)
})

test('a list of plain codes from an older version is read as hashes', async () => {
  const data = '["aBcDe-01oIl","zZzZz-99999"]'
  const read = await store.decrypt(await symmetricEncrypt({ key: SECRET, data }))
  assert.equal(read, JSON.stringify(['aBcDe-01oIl', 'zZzZz-99999'].map(hashRecoveryCode)))
  assert.match(
    await decrypt(await store.encrypt(read)),
    /^\["sha256:[\w-]{43}","sha256:[\w-]{43}"\]$/,
  )
})

test('a code is recognised however it is typed, and no other text is', () => {
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
  fc.assert(fc.property(fc.string({ unit: codePoint }), (text) => hashRecoveryCode(text) !== hash))
})
