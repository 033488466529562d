import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DataField, PlatformSummary } from '@recordhub/protocol'
import { fc } from '../../../../server/test/helpers/random/fast-check.ts'
import { columnsIn, defaultLayout, moveTo, readLayout, writeLayout } from './column-layout.ts'
import {
  columnsOf,
  columnTree,
  findColumns,
  listedModules,
  missingLabel,
  unfoldedColumns,
  withPaths,
} from './columns.ts'

const field = (key: string, type = 'string', label = `Label ${key}`) => ({
  key,
  label,
  type,
  required: false,
})
const module = (id: number, record_type: string, fields: ReturnType<typeof field>[]) => ({
  platform_name: `p${id}`,
  module_name: record_type,
  record_type,
  description: '',
  fields,
  added_at: null,
  removed_at: null,
  removed_fields: [],
  drift_policy: 'accept' as const,
  registered: true,
  complete_at: null,
  replayable: 0,
})
const platform = (id: number): PlatformSummary => ({
  id,
  platform_name: `p${id}`,
  platform_title: `P ${id}`,
  display_title: `P ${id}`,
  platform_description: '',
  connection_type: 'dynamic_api',
  source_base_url: '',
  status: 'active',
  modules_registered: 1,
  health: { state: 'healthy', reasons: [] },
  records: 0,
  manifest_fetched_at: null,
  latest_sync_at: null,
  last_push_at: null,
  hub_api_key_hint: null,
  last_error: null,
  missing_reviews: 0,
  rejected_pushes: 0,
})
const modules = [
  module(1, 'a', [
    field('reference_number', 'string', 'Case no.'),
    field('status'),
    field('amount', 'decimal'),
    field('hub_full_name'),
    field('updated_at'),
  ]),
  module(1, 'b', [field('status')]),
  module(2, 'a', [field('other')]),
]
const columnsFor = (state: Record<string, string>) => {
  const ofPlatform = ({ platform_name }: { platform_name: string }) =>
    (state['platform'] ?? platform_name) === platform_name
  return columnsOf(listedModules([platform(1), platform(2)], modules.filter(ofPlatform), state))
}
const visible = (state: Record<string, string>) => {
  const columns = columnsFor(state)
  return columnsIn(defaultLayout(columns), columns).map(({ label }) => label)
}

describe('the columns of a record list', () => {
  test('are the fields of a single module, with reference and name first', () => {
    assert.deepEqual(visible({ platform: 'p1', record_type: 'a' }), [
      'Case no.',
      'Name',
      'Label status',
      'Label amount',
      'Label hub_full_name',
      'Label updated_at',
      'Updated',
    ])
  })

  test('include the platform and the module of a record where these differ', () => {
    assert.deepEqual(visible({ platform: 'p1' }), ['Reference', 'Name', 'Module', 'Updated'])
    assert.deepEqual(visible({}), ['Reference', 'Name', 'Platform', 'Module', 'Updated'])
  })

  test('have a filter and a kind that depends on the field', () => {
    const byId = new Map(
      columnsFor({ platform: 'p1', record_type: 'a' }).map((column) => [column.id, column]),
    )
    assert.equal(byId.get('data.hub_full_name')?.filter, 'data.hub_full_name')
    assert.equal(byId.get('data.status')?.filter, 'status')
    assert.equal(byId.get('hub_updated_at')?.filter, 'hub_updated_at')
    assert.equal(byId.get('hub_platform_name')?.filter, null)
    assert.deepEqual(
      ['data.amount', 'data.updated_at', 'data.status'].map((id) => byId.get(id)?.kind),
      ['number', 'date', 'text'],
    )
  })
})

describe('the layout of columns', () => {
  const columns = columnsFor({ platform: 'p1', record_type: 'a' })
  const layout = defaultLayout(columns)
  const ids = (moved = layout) => moved.map(({ id }) => id).slice(0, 3)

  test('moves a column to the place of another', () => {
    const [reference, name, status] = ids()
    assert.deepEqual(ids(moveTo(layout, 'data.status', name)), [reference, status, name])
    assert.deepEqual(ids(moveTo(layout, 'hub_reference_number', status)), [name, status, reference])
    assert.deepEqual(moveTo(layout, 'hub_reference_number', undefined), layout)
  })

  test('shows pinned columns first, also after every move', () => {
    const pin = (id: string) =>
      layout.map((one) => (one.id === id ? { ...one, isPinned: true } : one))
    const shown = columnsIn(pin('hub_updated_at'), columns)
    assert.deepEqual(ids(shown), ['hub_reference_number', 'hub_full_name', 'hub_updated_at'])
    for (const from of shown) {
      for (const to of shown) {
        const moved = moveTo(shown, from.id, to.id)
        assert.deepEqual(ids(columnsIn(moved, columns)), ids(moved))
        assert.equal(moved[shown.indexOf(to)]?.id, from.id)
      }
    }
  })

  test('is the same after it was written and read, whatever the keys of fields', () => {
    const placed = fc.record(
      {
        id: fc.string({ unit: 'grapheme', minLength: 1 }),
        width: fc.option(fc.integer({ min: 1, max: 9999 }), { nil: undefined }),
        isPinned: fc.boolean(),
      },
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(fc.uniqueArray(placed, { minLength: 1, selector: ({ id }) => id }), (any) =>
        assert.deepEqual(readLayout(writeLayout(any)), any),
      ),
    )
  })

  test('has columns for paths into nested data', () => {
    const path = 'data.birth_place.placeName'
    const [place] = columnsIn([{ id: path, width: 90, isPinned: false }], columns)
    assert.deepEqual(
      [place?.label, place?.filter, place?.sort],
      ['Birth place › Place name', 'birth_place.placeName', path],
    )
  })

  test('of a text without columns is none, and unknown columns are not shown', () => {
    for (const text of ['', ',', ';5', '%']) assert.equal(readLayout(text), null)
    const read = readLayout('hub_gone,data.status;0;x') ?? []
    assert.deepEqual(
      columnsIn(read, columns).map(({ id, width }) => [id, width]),
      [['data.status', undefined]],
    )
  })
})

test('what the data contain can be filtered and sorted without being shown, below the field that contains it', () => {
  const columns = columnsFor({ platform: 'p1', record_type: 'a' })
  const found = { label: null, examples: [], records: 1, in_manifest: false, distinct: 1 }
  const fields: DataField[] = [
    { ...found, path: 'status', parent: null, name: 'status', types: ['object'] },
    { ...found, path: 'status.at', parent: 'status', name: 'at', types: ['text', 'number'] },
    { ...found, path: 'extra', parent: null, name: 'extra', types: ['list'] },
    { ...found, path: 'extra[]', parent: 'extra', name: '[]', types: ['number'] },
    { ...found, path: 'rest', parent: null, name: 'rest', types: ['number'] },
  ]
  const all = withPaths(columns, fields)
  const added = all.filter(({ id }) => !columns.some((one) => one.id === id))
  assert.deepEqual(
    added.map(({ label, filter, sort, kind }) => [label, filter, sort, kind]),
    [
      ['Label status › At', 'status.at', 'data.status.at', 'text'],
      ['Extra', 'extra', 'data.extra', 'text'],
      ['Extra › Each', 'extra[]', 'data.extra[]', 'number'],
      // The hub compares it as text.
      ['Rest', 'rest', 'data.rest', 'text'],
    ],
  )
  assert.deepEqual(
    columnsIn([{ id: 'data.extra[]', width: undefined, isPinned: false }], all).map(
      ({ label, kind }) => [label, kind],
    ),
    [['Extra › Each', 'number']],
  )
  const namesOf = (found: typeof all) => found.map(({ name, depth }) => [name, depth])
  assert.deepEqual(namesOf(findColumns(all, ' each ')), [
    ['Extra', 0],
    ['Each', 1],
  ])
  const isNew = ({ id }: { id: string }) => added.some((one) => one.id === id)
  assert.deepEqual(namesOf(unfoldedColumns(all, new Set(['data.status'])).filter(isNew)), [
    ['At', 1],
    ['Extra', 0],
    ['Rest', 0],
  ])
  const at = all.findIndex(({ id }) => id === 'data.status.at')
  assert.equal(all[at - 1]?.id, 'data.status')
  assert.deepEqual(
    withPaths(columns, []).map(({ name: _, depth, ...column }) => [column, depth]),
    columns.map((column) => [column, 0]),
  )
})

test('a key of the manifest with a dot is one column of the tree, and its members are below it', () => {
  const columns = columnsOf(listedModules([platform(1)], [module(1, 'a', [field('size.cm')])], {}))
  const found = { label: null, examples: ['9'], records: 1, in_manifest: false, distinct: 1 }
  const tree = columnTree(columns, [
    { ...found, path: 'size\\.cm', parent: null, name: 'size.cm', types: ['object' as const] },
    {
      ...found,
      path: 'size\\.cm.wide',
      parent: 'size\\.cm',
      name: 'wide',
      types: ['number' as const],
    },
  ])
  const sizes = tree.filter(({ id }) => id.includes('size'))
  assert.deepEqual(
    sizes.map(({ id, children }) => [id, ...children.map(({ label }) => label)]),
    [['data.size.cm', 'Wide']],
  )
})

test('a record that a revert took back is not called missing, which says that its platform lacks it', () => {
  const missing_since = '2026-03-10T07:00:00.000Z'
  const labels = [
    { missing_since: null, missing_reason: null },
    { missing_since, missing_reason: 'absent' as const },
    { missing_since, missing_reason: 'taken_back' as const },
    // A past version, of which the hub does not know.
    { missing_since, missing_reason: null },
  ].map(missingLabel)
  assert.deepEqual(labels, [null, 'Missing', 'Taken back', 'Missing'])
})
