import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecretBox, withLastDecrypted } from './secret-box.ts'

test('a ciphertext can be decrypted only with the same secret and purpose', () => {
  const box = createSecretBox('a secret of some length')
  const ciphertext = box.encrypt('rhk_key €', 'hub key')
  assert.equal(box.decrypt(ciphertext, 'hub key'), 'rhk_key €')
  assert.ok(!ciphertext.includes('rhk_key'))
  assert.throws(() => box.decrypt(ciphertext, 'source key'))
  assert.throws(() => createSecretBox('another secret').decrypt(ciphertext, 'hub key'))
})

test('a text that was decrypted last is decrypted once', () => {
  const box = createSecretBox('a secret of some length')
  let decrypted = 0
  const remembering = withLastDecrypted({
    ...box,
    decrypt(ciphertext, purpose) {
      decrypted += 1
      return box.decrypt(ciphertext, purpose)
    },
  })
  const [one, other] = [box.encrypt('one', 'p'), box.encrypt('other', 'p')]
  for (const ciphertext of [one, one, other, one]) {
    assert.equal(remembering.decrypt(ciphertext, 'p'), ciphertext === one ? 'one' : 'other')
  }
  assert.equal(decrypted, 3)
  assert.throws(() => remembering.decrypt(one, 'q'))
})

test('encrypting the same text twice gives different ciphertexts', () => {
  const box = createSecretBox('a secret of some length')
  assert.notEqual(box.encrypt('x', 'p'), box.encrypt('x', 'p'))
})

test('a modified ciphertext cannot be decrypted', () => {
  const box = createSecretBox('a secret of some length')
  const parts = box.encrypt('value', 'p').split('.')
  for (const index of [1, 2, 3]) {
    const changed = parts.map((part, at) =>
      at === index ? (part.startsWith('A') ? 'B' : 'A') + part.slice(1) : part,
    )
    assert.throws(() => box.decrypt(changed.join('.'), 'p'))
  }
  assert.throws(() => box.decrypt('v9.a.b.c', 'p'))
  assert.throws(() => box.decrypt('', 'p'))
})
