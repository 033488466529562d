import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Column } from '../sources/source.ts'
import { type InferredModule, inferModule, withUniqueRecordTypes } from './infer-module.ts'
import { findNewModules, mergeModules } from './merge-modules.ts'

const column = (name: string): Column => ({
  ...{ name, kind: 'text', type: 'text', comment: null, required: false },
})

function infer(table: string): InferredModule {
  const origin = { kind: 'table', table } as const
  const name = table.split('.').at(-1) ?? ''
  return inferModule({ origin, name, comment: null, key: ['id'] }, [column('id'), column('name')])
}

/** What init writes for {@link infer} of `orders`. */
const ORDERS = `- record_type: orders   # the identifier; never changed
  name: Orders
  table: orders
  reference: id   # the column that identifies a record, or "{a}-{b}" for several columns
  full_name: name   # the name of the person or thing, such as "{first} {last}"
  # leave_out: [column]
  search: [id, name]
  # updated_at: column
  # fields:                  # labels, types and required columns
  #   id: { label: ID }
  #   name: { label: Name }
`
const indented = (indent: string) =>
  ORDERS.split('\n')
    .map((line) => (line === '' ? line : indent + line))
    .join('\n')

const texts: Record<string, { before: string; after: string; indent: string }> = {
  'the end of the file': {
    before: 'modules:\n  - { a: 1 }\n  - record_type: people # mine\n    table: people',
    after: '',
    indent: '  ',
  },
  'comments of the last module, and other sections after it': {
    before: 'modules:\n- record_type: people\n  table:   people\n\n  # fields:\n  #   id: {}\n',
    after: '\n# Push.\npush:   { hub_url: x }\n',
    indent: '',
  },
  'a text of several lines': {
    before:
      'modules:\n    - record_type: people\n      query: |\n        SELECT *\n        FROM x\n',
    after: 'listen:\n  port: 1\n',
    indent: '    ',
  },
}

for (const [name, { before, after, indent }] of Object.entries(texts)) {
  test(`new modules are added after ${name}, and no other line changes`, () => {
    const gap = before.endsWith('\n') ? '\n' : '\n\n'
    const merged = before + gap + indented(indent) + after
    assert.equal(mergeModules(before + after, [infer('orders')], false), merged)
    const windows = (text: string) => text.replaceAll('\n', '\r\n')
    assert.equal(mergeModules(windows(before + after), [infer('orders')], false), windows(merged))
  })
}

test('a list that is not in block style is not changed', () => {
  for (const text of ['modules: [{ table: people }]\n', 'modules:\n  - { table: people }\n']) {
    assert.equal(mergeModules(text, [infer('orders')], false), null)
  }
})

test('a table with a module, also with one that is commented out, is not new', () => {
  const text = '  # - record_type: x\n  #   table: logs\n#- table: hr.notes\n'
  const origins = [
    { kind: 'table', table: 'public.people' },
    { kind: 'query', query: 'SELECT * FROM items' },
  ] as const
  const inferred = ['people', 'logs', 'hr.notes', 'orders', 'items'].map(infer)
  assert.deepEqual(
    findNewModules(text, origins, inferred).map(({ recordType }) => recordType),
    ['orders', 'items'],
  )
})

test('a record type that the settings use is not used again', () => {
  const inferred = withUniqueRecordTypes(
    [infer('hr.people'), infer('orders')],
    ['people', 'orders'],
  )
  assert.deepEqual(
    inferred.map(({ recordType }) => recordType),
    ['hr_people', 'orders_2'],
  )
})
