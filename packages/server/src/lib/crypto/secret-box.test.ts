import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecretBox } from './secret-box.ts'

test('a sealed text opens only with the same secret and purpose', () => {
  const box = createSecretBox('a secret of some length')
  const sealed = box.seal('rhk_key €', 'hub key')
  assert.equal(box.open(sealed, 'hub key'), 'rhk_key €')
  assert.ok(!sealed.includes('rhk_key'))
  assert.throws(() => box.open(sealed, 'source key'))
  assert.throws(() => createSecretBox('another secret').open(sealed, 'hub key'))
})

test('sealing the same text twice gives different results', () => {
  const box = createSecretBox('a secret of some length')
  assert.notEqual(box.seal('x', 'p'), box.seal('x', 'p'))
})

test('a modified sealed text does not open', () => {
  const box = createSecretBox('a secret of some length')
  const parts = box.seal('value', 'p').split('.')
  for (const index of [1, 2, 3]) {
    const changed = parts.map((part, at) =>
      at === index ? (part.startsWith('A') ? 'B' : 'A') + part.slice(1) : part,
    )
    assert.throws(() => box.open(changed.join('.'), 'p'))
  }
  assert.throws(() => box.open('v9.a.b.c', 'p'))
  assert.throws(() => box.open('', 'p'))
})
