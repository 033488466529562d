import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HubError } from '../../errors.ts'
import { cellText, chooseColumns, createCellReader, HUB_MEMBERS } from './record-columns.ts'

const field = (key: string, label = `Label ${key}`) => ({
  key,
  label,
  type: 'string',
  required: false,
})
const MODULES = [
  { fields: [field('b'), field('a'), field('hub_other'), field('created_at')] },
  { fields: [field('a', 'another label'), field('c')] },
]
const RECORD = {
  record_id: 7,
  platform_name: 'school',
  module_name: 'Students',
  record_type: 'students',
  reference_number: 'r-1',
  full_name: 'Ann',
  incomplete: false,
  missing_since: null,
  created_at: '2026-03-10T08:00:00.000Z',
  updated_at: '2026-03-10T08:00:00.000Z',
  data: '{"a":1.10,"hub_other":"sent","created_at":"also sent","d":[1e2],"c":null}',
}
const all = { chosen: null, header: 'key' as const }

test('hub columns come first, then each field once in manifest order, then the rest', () => {
  const columns = chooseColumns(MODULES, all)
  const names = [...HUB_MEMBERS.map((member) => `hub_${member}`), 'b', 'a', 'created_at', 'c']
  assert.deepEqual(
    columns.map((column) => column.name),
    [...names, 'hub_other'],
  )
  const cells = createCellReader(columns)(RECORD).map(cellText)
  assert.deepEqual(cells.slice(HUB_MEMBERS.length), [
    ...['', '1.10', 'also sent', '', '{"hub_other":"sent","d":[1e2]}'],
  ])
  assert.deepEqual(cells.slice(4, 8), ['r-1', 'Ann', 'false', ''])
})

test('chosen columns are in their own order, and hub_other contains the data that they do not show', () => {
  const chosen = ['hub_other', 'c', 'hub_full_name', 'c', 'a']
  const columns = chooseColumns(MODULES, { chosen, header: 'key' })
  assert.deepEqual(
    columns.map((column) => column.header),
    ['hub_other', 'c', 'hub_full_name', 'a'],
  )
  assert.deepEqual(createCellReader(columns)(RECORD).map(cellText), [
    '{"hub_other":"sent","created_at":"also sent","d":[1e2]}',
    '',
    'Ann',
    '1.10',
  ])
})

test('the header is the label if requested, and the first label if modules differ', () => {
  const columns = chooseColumns(MODULES, { chosen: ['a'], header: 'label' })
  assert.deepEqual(
    columns.map((column) => column.header),
    ['Label a'],
  )
  const own = chooseColumns(MODULES, { chosen: ['hub_full_name', 'hub_other'], header: 'label' })
  assert.deepEqual(
    own.map((column) => column.header),
    ['Name', 'Other data'],
  )
})

test('the manifest of a single module names the reference and the name', () => {
  const one = { fields: [field('reference_number', 'Employee no.'), field('full_name', ' ')] }
  const chosen = ['hub_reference_number', 'hub_full_name', 'reference_number', 'full_name']
  const headersOf = (modules: { fields: ReturnType<typeof field>[] }[]) =>
    chooseColumns(modules, { chosen, header: 'label' }).map((column) => column.header)
  const copies = ['Employee no. (field)', 'full_name (field)']
  assert.deepEqual(headersOf([one]), ['Employee no.', 'Name', ...copies])
  assert.deepEqual(headersOf([one, { fields: [] }]), ['Reference', 'Name', ...copies])
})

test('a column can be a path into a field, or any path after the prefix of data', () => {
  const data =
    '{"a":{"b":{"c":1.10},"l":[{"r":"x"},{"r":null},{"r":["y"]}]},"b":7,"hub_other":"own","a.x":1}'
  const chosen = ['a.b.c', 'data.a.l[].r', 'a.none[]', 'data.b', 'b', 'data.hub_other', 'data.a.x']
  const cellsOf = (header: 'key' | 'label') => {
    const columns = chooseColumns(MODULES, { chosen, header })
    const cells = createCellReader(columns)({ ...RECORD, data }).map(cellText)
    return columns.map((column, index) => [column.header, cells[index]])
  }
  assert.deepEqual(cellsOf('key'), [
    ['a.b.c', '1.10'],
    ['a.l[].r', '["x",["y"]]'],
    ['a.none[]', ''],
    ['b', '7'],
    ['data.hub_other', 'own'],
    ['a.x', '1'],
  ])
  assert.deepEqual(
    cellsOf('label').map(([header]) => header),
    [
      'Label a · b · c',
      'Label a · l · r',
      'Label a · none',
      'Label b',
      'Other data_2',
      'Label a · x',
    ],
  )
})

test('labels are unique as headers, and never empty or those of the hub', () => {
  const labels = ['Name', 'name', ' ', 'hub_full_name', 'HUB_OTHER', 'Name ']
  const fields = labels.map((label, index) => field(`k${index}`, label))
  const chosen = fields.map(({ key }) => key).toReversed()
  const columns = chooseColumns([{ fields }], { chosen, header: 'label' })
  assert.deepEqual(
    columns.map((column) => column.header),
    ['Name_4', 'HUB_OTHER', 'hub_full_name', 'k2', 'name_3', 'Name_2'],
  )
})

test('a chosen column that no module has is rejected with its name', () => {
  const unknown = ['nothing', '', ' a', 'a ', 'A', 'full_name', 'hub_data', 'constructor']
  for (const name of [...unknown, 'nothing.a', 'nothing[]', 'data.', '.a']) {
    assert.throws(
      () => chooseColumns(MODULES, { chosen: ['a', name], header: 'key' }),
      (error) =>
        error instanceof HubError && Boolean(error.errors?.['columns']?.[0]?.includes(`"${name}"`)),
    )
  }
})
