import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword as hashAsBefore } from 'better-auth/crypto'
import { hashPassword, verifyPassword } from './password-hash.ts'

const PASSWORD = 'correct horse 🐎 battery staple'

test('a password is known again, another one is not, and no two texts are alike', async () => {
  const [one, other] = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)])
  assert.notEqual(one, other)
  assert.equal(await verifyPassword(one, PASSWORD), true)
  for (const wrong of ['', ` ${PASSWORD}`, `${PASSWORD} `, PASSWORD.toUpperCase(), 'x']) {
    assert.equal(await verifyPassword(one, wrong), false, wrong)
  }
})

test('it costs what OWASP asks of scrypt, and says so', async () => {
  const [name, logN, r, p] = (await hashPassword(PASSWORD)).split('$')
  assert.deepEqual([name, logN, r, p], ['scrypt', '15', '8', '3'])
})

test('the same letters are the same password, however a keyboard composes them', async () => {
  assert.equal(
    await verifyPassword(await hashPassword('Gru\u0308ße, ganz lang'), 'Gr\u00fcße, ganz lang'),
    true,
  )
})

test('a password that was stored before is still known', async () => {
  const stored = await hashAsBefore(PASSWORD)
  assert.equal(await verifyPassword(stored, PASSWORD), true)
  assert.equal(await verifyPassword(stored, `${PASSWORD}.`), false)
})

test('what is no stored password opens nothing', async () => {
  for (const stored of ['', 'plain', 'scrypt$15$8$3$$', `:${'00'.repeat(64)}`, 'abc:']) {
    await assert.rejects(verifyPassword(stored, ''), /form that is unknown/)
  }
})
