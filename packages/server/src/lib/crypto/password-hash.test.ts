import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword as hashWithBetterAuth } from 'better-auth/crypto'
import { hashPassword, verifyPassword } from './password-hash.ts'

const PASSWORD = 'correct horse 🐎 battery staple'
/** Each hash takes as long as a sign-in. */
const HASH = await hashPassword(PASSWORD)

test('a password matches only its own hash, and every hash is different', async () => {
  assert.notEqual(await hashPassword(PASSWORD), HASH)
  assert.equal(await verifyPassword(HASH, PASSWORD), true)
  for (const wrong of ['', `${PASSWORD} `, PASSWORD.toUpperCase()]) {
    assert.equal(await verifyPassword(HASH, wrong), false, wrong)
  }
})

test('a hash has the scrypt cost that OWASP recommends, and records it', async () => {
  const [name, logN, r, p] = HASH.split('$')
  assert.deepEqual([name, logN, r, p], ['scrypt', '15', '8', '3'])
})

test('all Unicode compositions of a password are equivalent', async () => {
  assert.equal(
    await verifyPassword(await hashPassword('Gru\u0308ße, ganz lang'), 'Gr\u00fcße, ganz lang'),
    true,
  )
})

test('a hash of an older version is still accepted', async () => {
  const stored = await hashWithBetterAuth(PASSWORD)
  assert.equal(await verifyPassword(stored, PASSWORD), true)
  assert.equal(await verifyPassword(stored, `${PASSWORD}.`), false)
})

test('an invalid stored hash is rejected', async () => {
  for (const stored of ['', 'plain', 'scrypt$15$8$3$$', `:${'00'.repeat(64)}`, 'abc:']) {
    await assert.rejects(verifyPassword(stored, ''), /unknown form/)
  }
})
