import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepOrder } from './keep-order.ts'

test('the order of shown items stays, items that are over go, and new ones are apart', () => {
  const found = [{ key: 'new' }, { key: 'b' }, { key: 'a' }]
  assert.deepEqual(keepOrder(found, ['a', 'gone', 'b']), {
    shown: [{ key: 'a' }, { key: 'b' }],
    added: [{ key: 'new' }],
  })
})
