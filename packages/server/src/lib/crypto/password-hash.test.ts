import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword as hashWithBetterAuth } from 'better-auth/crypto'
import { hashPassword, verifyPassword } from './password-hash.ts'

const PASSWORD = 'correct horse 🐎 b\u00e4ttery staple'
/** Each hash takes as long as a sign-in. */
const hashed = hashPassword(PASSWORD)

test('a password matches only its own hash, and every hash is different', async () => {
  // In another Unicode composition, which is equivalent.
  const other = await hashPassword(PASSWORD.normalize('NFD'))
  assert.notEqual(other, await hashed)
  assert.equal(await verifyPassword(other, PASSWORD), true)
  assert.equal(await verifyPassword(await hashed, `${PASSWORD} `), false)
})

test('a hash has the scrypt cost that OWASP recommends, and records it', async () => {
  const [name, logN, r, p] = (await hashed).split('$')
  assert.deepEqual([name, logN, r, p], ['scrypt', '15', '8', '3'])
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
