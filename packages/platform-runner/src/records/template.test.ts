import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelFromComment, toLabel } from './kind.ts'
import { columnsOf, parseTemplate, renderName, renderReference } from './template.ts'

const row: Record<string, string | null> = {
  id: '7',
  'a b': 'x',
  first: 'Ann',
  last: null,
  gap: '  in  ',
}
const read = (column: string) => row[column] ?? null

test('a name without braces is a column, and braces contain column names', () => {
  assert.deepEqual(columnsOf(parseTemplate('a b')), ['a b'])
  assert.deepEqual(columnsOf(parseTemplate('{a b}-{id}')), ['a b', 'id'])
  assert.deepEqual(columnsOf(parseTemplate('{}')), ['{}'])
  assert.equal(renderReference(parseTemplate('N-{id}/{a b}'), read), 'N-7/x')
})

test('a reference with a missing part is null', () => {
  assert.equal(renderReference(parseTemplate('{id}-{last}'), read), null)
  assert.equal(renderReference(parseTemplate('last'), read), null)
})

test('a name skips empty parts, and a single column is used unchanged', () => {
  assert.equal(renderName(parseTemplate('{first} {last}'), read), 'Ann')
  assert.equal(renderName(parseTemplate('gap'), read), '  in  ')
  assert.equal(renderName(parseTemplate('last'), read), '')
})

test('labels are derived from column names and comments', () => {
  const labels = Object.entries({
    birth_date: 'Birth date',
    birthDate: 'Birth date',
    ID: 'ID',
    customerID: 'Customer ID',
    'geburts-Datum': 'Geburts datum',
    HTTPServer: 'Http server',
    name2Part: 'Name2 part',
    ___: '___',
    ÄNDERUNG: 'Änderung',
  })
  for (const [name, label] of labels) assert.equal(toLabel(name), label)
  assert.equal(labelFromComment('Day of birth\nas stated'), 'Day of birth')
  assert.equal(labelFromComment(' '.repeat(5)), null)
  assert.equal(labelFromComment('x'.repeat(81)), null)
})
