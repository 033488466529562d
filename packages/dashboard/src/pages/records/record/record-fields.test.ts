import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf, labelOfPath, sourceLabel } from './record-fields.ts'

const field = (key: string, label: string) => ({ key, label, type: 'string', required: false })
const manifest = [field('b/c', 'Slash'), field('a', ''), field('~', 'Tilde')]
const record = {
  record_id: 1,
  platform_name: 'p',
  module_name: 'M',
  record_type: 'm',
  reference_number: 'R',
  full_name: 'Ann',
  data: { extra: 1, a: null, 'b/c': 'x' },
  incomplete: false,
  missing_since: null,
  missing_reason: null,
  created_at: '',
  updated_at: null,
}
const origin = {
  path: '/data/b~1c',
  value: 'x',
  written_at: null,
  source: 'pull' as const,
  pull_id: 3,
  request_id: null,
  revert_id: null,
}

test('fields follow the order of the manifest, with other keys at the end', () => {
  const fields = fieldsOf(record, manifest, [origin])
  assert.deepEqual(
    fields.map(({ key, label, value, isInManifest }) => [key, label, value, isInManifest]),
    [
      ['b/c', 'Slash', 'x', true],
      ['a', 'a', null, true],
      ['~', 'Tilde', undefined, true],
      ['extra', 'extra', 1, false],
    ],
  )
  assert.equal(fields[0]?.origin?.pull_id, 3)
  assert.equal(fields[1]?.origin, null)
})

test('a path in a record has the label of its field', () => {
  assert.deepEqual(labelOfPath('/data/b~1c', manifest), { label: 'Slash', key: 'b/c' })
  assert.deepEqual(labelOfPath('/data/~0', manifest), { label: 'Tilde', key: '~' })
  assert.deepEqual(labelOfPath('/data/other', manifest), { label: 'other', key: 'other' })
  assert.deepEqual(labelOfPath('/full_name', manifest), { label: 'Name', key: 'full_name' })
})

test('the source of a value has a label', () => {
  assert.equal(sourceLabel('PATCH'), 'Pushed (PATCH)')
  assert.equal(sourceLabel(null), 'Older than the stored history')
})
