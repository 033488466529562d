import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandomKey, isRandomKey, maskKey } from './random-key.ts'

test('a key is validated by prefix, length and checksum', () => {
  const key = createRandomKey('rhk_')
  assert.match(key, /^rhk_[0-9A-Za-z]{49}$/)
  assert.ok(isRandomKey(key, 'rhk_'))
  assert.equal(isRandomKey(key, 'rht_'), false)
  assert.equal(isRandomKey(key.slice(0, -1), 'rhk_'), false)
  for (let at = 4; at < key.length; at++) {
    const other = key[at] === 'x' ? 'y' : 'x'
    assert.equal(isRandomKey(key.slice(0, at) + other + key.slice(at + 1), 'rhk_'), false)
  }
  assert.equal(isRandomKey('', 'rhk_'), false)
})

test('keys are unique, and a hint shows only part of a key', () => {
  const keys = new Set(Array.from({ length: 1000 }, () => createRandomKey('rhk_')))
  assert.equal(keys.size, 1000)
  const key = createRandomKey('rhk_')
  assert.equal(maskKey(key).length, 13)
})
