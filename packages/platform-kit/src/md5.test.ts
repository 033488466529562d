import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { codePoint, fc } from '../../server/test/helpers/random/fast-check.ts'
import { md5 } from './md5.ts'

test('the hash is that of node:crypto, at every length of a block', () => {
  for (let length = 0; length <= 200; length++) {
    const text = 'x'.repeat(length)
    assert.equal(md5(text), hash('md5', text))
  }
})

test('the hash of any text is that of its UTF-8 bytes', () => {
  const text = fc.string({ unit: codePoint, maxLength: 300 })
  fc.assert(fc.property(text, (one) => assert.equal(md5(one), hash('md5', one))))
})
