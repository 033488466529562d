import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Platform } from '@recordhub/protocol'
import { fc } from '../../../../server/test/helpers/random/fast-check.ts'
import { arrange, DEFAULT_CHOICE, isShown, move, parseChoice, toggle } from './column-choice.ts'
import { columnsOf, listedModules } from './columns.ts'

const field = (key: string, type = 'string', label = `Label ${key}`) => ({
  key,
  label,
  type,
  required: false,
})
const module = (record_type: string, fields: ReturnType<typeof field>[]) => ({
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
const platform = (id: number, modules: Platform['modules']): Platform => ({
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
  modules,
})
const platforms = [
  platform(1, [
    module('a', [
      field('reference_number', 'string', 'Case no.'),
      field('status'),
      field('amount', 'decimal'),
      field('hub_full_name'),
      field('updated_at'),
    ]),
    module('b', [field('status')]),
  ]),
  platform(2, [module('a', [field('other')])]),
]
const columnsFor = (state: Record<string, string>) => columnsOf(listedModules(platforms, state))
const visible = (state: Record<string, string>) =>
  columnsFor(state)
    .filter((column) => isShown(column, DEFAULT_CHOICE))
    .map(({ label }) => label)

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

describe('column settings', () => {
  const columns = columnsFor({ platform: 'p1', record_type: 'a' })
  const ids = (choice = DEFAULT_CHOICE) => arrange(columns, choice).map(({ id }) => id)
  const find = (id: string) => columns.find((one) => one.id === id) ?? assert.fail(id)

  test('move a column past the next visible one', () => {
    const hidden = toggle(find('data.amount'), DEFAULT_CHOICE)
    const moved = move(columns, hidden, find('data.status'), 1)
    const shown = arrange(columns, moved).filter((one) => isShown(one, moved))
    assert.deepEqual(shown.map(({ id }) => id).slice(0, 4), [
      'hub_reference_number',
      'hub_full_name',
      'data.hub_full_name',
      'data.status',
    ])
    assert.equal(move(columns, DEFAULT_CHOICE, find('hub_reference_number'), -1), DEFAULT_CHOICE)
  })

  test('show a column that is hidden by default, and hide it again', () => {
    const created = find('hub_created_at')
    const shown = toggle(created, DEFAULT_CHOICE)
    assert.equal(isShown(created, shown), true)
    assert.equal(isShown(created, toggle(created, shown)), false)
  })

  test('never lose or duplicate a column, whatever order was saved', () => {
    const anyId = fc.oneof(fc.string(), fc.constantFrom(...columns.map(({ id }) => id)))
    fc.assert(
      fc.property(fc.uniqueArray(anyId), (order) => {
        const arranged = ids({ ...DEFAULT_CHOICE, order })
        assert.deepEqual(arranged.toSorted(), columns.map(({ id }) => id).toSorted())
      }),
    )
  })

  test('fall back to the defaults if the saved value is invalid', () => {
    for (const text of [null, '', 'x', '[]', '{"order":3}', '{"order":[1]}']) {
      assert.deepEqual(parseChoice(text), DEFAULT_CHOICE)
    }
  })
})
