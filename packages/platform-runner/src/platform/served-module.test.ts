import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTemplate } from '../records/template.ts'
import type { ModuleSettings } from '../settings/settings.ts'
import type { Column } from '../sources/source.ts'
import { serveModule } from './served-module.ts'

const settings = (over: Partial<ModuleSettings> = {}): ModuleSettings => ({
  positionOf: (key) => `file:1: ${key}`,
  recordType: 'people',
  name: null,
  description: '',
  origin: { kind: 'table', table: 'people' },
  reference: parseTemplate('id'),
  fullName: parseTemplate('name'),
  columns: null,
  leaveOut: [],
  fields: {},
  search: [],
  updatedAt: null,
  version: null,
  ...over,
})
const column = (name: string, kind: Column['kind'], over: Partial<Column> = {}): Column => ({
  ...{ name, kind, type: kind, comment: null, required: false },
  ...over,
})
const COLUMNS = [
  column('id', 'number', { required: true }),
  column('name', 'text', { comment: 'Whole name' }),
  column('at', 'instant'),
  column('photo', 'binary'),
]

test('columns that are not served can still form the reference and the name', () => {
  const module = serveModule(settings({ columns: ['at'] }), COLUMNS, [])
  assert.deepEqual(
    module.fields.map(({ key }) => key),
    ['at'],
  )
  assert.deepEqual(
    module.columns.map(({ name }) => name),
    ['at', 'id', 'name'],
  )
  assert.deepEqual(module.toRecord(['2026-01-01 10:00:00+00', '12345678901234567890', 'Ann']), {
    reference_number: '12345678901234567890',
    full_name: 'Ann',
    data: { at: '2026-01-01T10:00:00Z' },
  })
})

test('configured field settings override those of the database', () => {
  const fields = {
    id: { label: 'Number', type: 'string', required: false },
    at: { label: null, type: 'datetime', required: true },
  } as const
  const module = serveModule(settings({ fields }), COLUMNS, [])
  assert.deepEqual(module.fields, [
    { key: 'id', label: 'Number', type: 'string', required: false },
    { key: 'name', label: 'Whole name', type: 'string', required: false },
    { key: 'at', label: 'At', type: 'datetime', required: true },
  ])
  assert.deepEqual(module.toRecord(['007', null, '2026-01-01 10:00:00'])?.data, {
    id: '007',
    name: null,
    at: '2026-01-01T10:00:00Z',
  })
  assert.equal(module.toRecord([null, 'x', null]), null)
})

test('two columns with the same name are reported', () => {
  const issues: string[] = []
  serveModule(settings(), [...COLUMNS, column('id', 'text')], issues)
  assert.deepEqual(issues, ['file:1: null: two columns are named "id"; rename one of them.'])
})

test('a column with an unsafe key is left out', () => {
  const module = serveModule(settings(), [...COLUMNS, column('__proto__', 'text')], [])
  assert.deepEqual(
    module.leftOut.map(({ name }) => name),
    ['photo', '__proto__'],
  )
})

test('each change of the shape changes the version', () => {
  const shapes = [
    settings(),
    settings({ leaveOut: ['at'] }),
    settings({ fullName: parseTemplate('id') }),
  ]
  assert.equal(new Set(shapes.map((one) => serveModule(one, COLUMNS, []).shape)).size, 3)
})
