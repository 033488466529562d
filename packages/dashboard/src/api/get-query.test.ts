import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, getQuery } from './get-query.ts'

test('the address of a route has its parameters and the parts of the query that have a value', () => {
  assert.equal(
    addressOf(
      'GET /api/v1/platforms/:id/modules/:type',
      { id: 7, type: 'a/b' },
      { q: 'x', cursor: '' },
    ),
    '/api/v1/platforms/7/modules/a%2Fb?q=x',
  )
  assert.throws(() => addressOf('GET /api/v1/platforms/:id', {}, {}), /has no id/)
})

test('queries of different parameters have different keys', () => {
  const keyOf = (id: number) => getQuery('GET /api/v1/platforms/:id', { params: { id } }).queryKey
  assert.notDeepEqual(keyOf(1), keyOf(2))
})
