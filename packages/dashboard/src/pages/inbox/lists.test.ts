import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formerActivity, listOf } from './lists.ts'

test('an unknown list is the inbox', () => {
  assert.deepEqual([{}, { tab: 'x' }, { tab: 'missing' }].map(listOf), [
    ...[undefined, undefined, 'missing'],
  ])
})

test('a link to the former page leads to the log, to the overview or to a list of the inbox', () => {
  const { to, search } = formerActivity({ tab: 'rejected', platform: 'school' })
  assert.deepEqual([to, search], ['/dashboard/inbox', { tab: 'rejected', platform: 'school' }])
  assert.equal(formerActivity({ entry: '5' }).to, '/dashboard/log')
  assert.equal(formerActivity({ tab: 'completeness', platform: 'school' }).to, '/dashboard')
})
