import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choicesOf, filterItems } from './filter-items.ts'

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
