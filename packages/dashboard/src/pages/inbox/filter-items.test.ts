import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choicesOf, filterItems, itemOfTask } from './filter-items.ts'

const school = { id: 1, platform_name: 'school', title: 'The school' }
const items = [
  { kind: 'rejected', platform: school },
  { kind: 'drift', platform: school },
  { kind: 'rejected', platform: { ...school, platform_name: 'clinic', title: 'A clinic' } },
  { kind: 'no_backup', platform: null },
] as const

test('items are filtered by kind and platform, and only what is there can be chosen', () => {
  assert.deepEqual(filterItems(items, {}), items)
  assert.deepEqual(filterItems(items, { kind: 'rejected', platform: 'school' }), [items[0]])
  assert.deepEqual(filterItems(items, { kind: 'no_backup', platform: '' }), [items[3]])
  const { kinds, platforms } = choicesOf(items)
  assert.deepEqual(
    kinds.map(({ label }) => label),
    ['Backups', 'Drift', 'Rejections'],
  )
  assert.deepEqual(platforms, [
    { value: 'clinic', label: 'A clinic' },
    { value: 'school', label: 'The school' },
  ])
})

test('a failed module leads to the item of its platform, and one with unlisted records to its review', () => {
  const failing = { kind: 'pulls_failing', platform: school, record_type: null } as const
  const review = { kind: 'missing_review', platform: school, record_type: 'cases' } as const
  const find = (change: Partial<Parameters<typeof itemOfTask>[1]>) =>
    itemOfTask([review, failing], {
      ...{ platform_name: 'school', record_type: 'cases', state: 'succeeded', not_listed: 0 },
      ...change,
    })
  assert.equal(find({ state: 'failed' }), failing)
  assert.equal(find({ state: 'timed_out', platform_name: 'clinic' }), undefined)
  assert.equal(find({ not_listed: 3 }), review)
  assert.equal(find({ not_listed: 3, record_type: 'staff' }), undefined)
  assert.equal(find({}), undefined)
})
