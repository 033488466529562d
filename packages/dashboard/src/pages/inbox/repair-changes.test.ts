import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changesBetween,
  diffLines,
  membersOf,
  parseRows,
  textOf,
  toChange,
  toRow,
} from './repair-changes.ts'

test('an edited body gives the changes that repeat the edit on other bodies', () => {
  const before = { record_type: 'loans', data: { 'a/b': 1, old: [1], gone: true, same: {} } }
  const after = { record_type: 'loan', data: { 'a/b': '1', new: [1], same: {}, added: null } }
  assert.deepEqual(changesBetween(before, after), [
    { op: 'set', path: '/record_type', value: 'loan' },
    { op: 'set', path: '/data/a~1b', value: '1' },
    { op: 'rename', path: '/data/old', to: 'new' },
    { op: 'remove', path: '/data/gone' },
    { op: 'set', path: '/data/added', value: null },
  ])
  assert.deepEqual(changesBetween([1], [2]), [])
})

test('a row and its change have the same meaning, also for names with dots', () => {
  const known = membersOf({ data: { 'a.b': 'x' } }).map(({ pointer }) => pointer)
  for (const change of [
    { op: 'set', path: '/data/a.b', value: '12' },
    { op: 'default', path: '/data/n', value: 12 },
    { op: 'set', path: '/record_type', value: '12' },
    { op: 'rename', path: '/data/x~0', to: 'y' },
    { op: 'trim', path: '/full_name' },
  ] as const) {
    const row = change.path === '/record_type' ? { ...toRow(change), text: '12' } : toRow(change)
    assert.deepEqual(toChange(row, known), change)
  }
  assert.equal(toChange({ op: 'set', path: 'a', text: '' }, []), null)
  assert.deepEqual(['a', '12', 12, 'true', null].map(textOf), ['a', '"12"', '12', '"true"', 'null'])
})

test('an address has rows or none', () => {
  assert.deepEqual(parseRows('[{"op":"trim","path":"/a"},{"op":"sudo","path":"/a"},5]'), [
    { op: 'trim', path: 'a', text: '' },
  ])
  assert.deepEqual([parseRows(undefined), parseRows('{'), parseRows('{}')], [null, null, null])
})

test('the difference of two bodies has their changed lines and those around them', () => {
  const numbers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`n${n}`, n]))
  const lines = diffLines({ ...numbers, n10: 'a' }, { ...numbers, n10: 'b' })
  assert.deepEqual(
    lines.map(({ sign, text }) => `${sign} ${text.trim()}`),
    [
      ...['  "n7": 7,', '  "n8": 8,', '  "n9": 9,', '- "n10": "a",', '+ "n10": "b",'],
      ...['  "n11": 11,', '  "n12": 12,', '  "n13": 13,'],
    ],
  )
})
