import assert from 'node:assert/strict'
import { parsePath, valuesAt } from '@recordhub/protocol/data-path'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { type DataColumn, parseRecordQuery } from '../../../src/domain/record/record-query.ts'
import { valueText } from '../../../src/domain/record/sort-key.ts'
import type { RecordRow } from '../../../src/storage/port/record-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { createTest, test } from '../../helpers/storage/engines.ts'
import { pushWrite, recordQuery } from '../../helpers/storage/fixtures.ts'
import { removePlatform } from '../../helpers/storage/removals.ts'

function toQuery(text: string) {
  const parsed = parseRecordQuery(new URLSearchParams(text))
  assert.ok(parsed.ok, JSON.stringify(parsed))
  return recordQuery(parsed.query)
}

async function countValues(
  storage: Storage,
  text: string,
  columns: DataColumn[],
  scan_ms = 60_000,
) {
  const query = toQuery(text)
  const scope = await storage.records.readScope(query)
  return storage.records.countValues({ ...query, columns, scope, scan_ms })
}

/** The expected values of a facet. */
function model(rows: RecordRow[], path: string) {
  const counts = new Map<string, number>()
  let empty = 0
  for (const row of rows) {
    const values = valuesAt(parseLossless(row.data), parsePath(path)).map(valueText)
    const texts = new Set(values.filter((one) => one !== null && one !== ''))
    if (texts.size === 0) empty += 1
    for (const one of texts) counts.set(String(one), (counts.get(String(one)) ?? 0) + 1)
  }
  return [[...counts].sort(), empty]
}

const withThreads = createTest({ withThreads: true })

withThreads(
  'facets count the values of a list, each without the conditions on its own path',
  async (kit) => {
    const { storage } = kit
    const school = await kit.register({ modules: ['students', 'staff'] })
    const pushes = Array.from({ length: 90 }, (_, n) =>
      pushWrite(school, {
        reference: `r-${n}`,
        record_type: n % 5 === 0 ? 'staff' : 'students',
        full_name: n % 4 === 0 ? 'Ann' : 'Bob',
        data: `{"s":"${n % 3}","o":{"k":${n % 7 === 0 ? 'null' : n % 2}},"l":[{"r":"a${n % 4}"},{"r":"a${n % 3}"}],"many":${n}}`,
      }),
    )
    await kit.write(...pushes)
    await kit.indexAll()
    const own = '&filter[s][in]=1&filter[s][in]=2'
    for (const rest of [
      '',
      'record_type=staff',
      'q=ann',
      'filter[o.k]=1',
      'filter[hub_full_name]=Bob',
    ]) {
      const counted = await countValues(storage, rest + own, ['data.s', 'data.o.k', 'data.l[].r'])
      assert.equal(counted.outcome, 'counted')
      assert.equal(counted.complete, true)
      const found = counted.facets.map(({ path, values, empty }) => [
        path,
        values?.map(({ value, records }) => [value, records]).sort(),
        empty,
      ])
      const without = await kit.records(toQuery(rest))
      const nested = rest.includes('o.k') ? '' : rest
      assert.deepEqual(found, [
        ['s', ...model(without, 's')],
        ['o.k', ...model(await kit.records(toQuery(nested + own)), 'o.k')],
        ['l[].r', ...model(await kit.records(toQuery(rest + own)), 'l[].r')],
      ])
    }
    const tooMany = await countValues(storage, '', ['data.many', 'data.s'])
    assert.ok(tooMany.outcome === 'counted' && tooMany.complete)
    assert.deepEqual(tooMany.facets[0], { path: 'many', values: null, empty: 0 })
    const late = await countValues(storage, '', ['data.s'], 0)
    assert.ok(late.outcome === 'counted' && !late.complete && late.examined < 90)
    const counts = late.facets[0]?.values?.map(({ records }) => records) ?? []
    assert.equal(
      counts.reduce((sum, one) => sum + one, 0),
      late.examined,
    )
  },
)

test('the paths of a module are those of its last changed records, until it is removed', async (kit) => {
  const { storage } = kit
  const school = await kit.register({ modules: ['students', 'staff'] })
  await kit.write(
    pushWrite(school, { data: '{"a":{"b":[{"c":1}]}}' }),
    pushWrite(school, { reference: 'r-2', record_type: 'staff', data: '{"other":1}' }),
  )
  const find = (scan_ms = 60_000) =>
    storage.records.findPaths({ platform: 'school', record_type: 'students', scan_ms })
  const pathsOf = ({ paths }: Awaited<ReturnType<typeof find>>) => paths.map(({ path }) => path)
  const found = await find()
  assert.deepEqual(pathsOf(found), ['a', 'a.b', 'a.b[].c'])
  assert.deepEqual([found.examined, found.complete, found.isWhole], [1, true, true])
  const pushes = Array.from({ length: 600 }, (_, n) =>
    pushWrite(school, { reference: `n-${n}`, data: '{"new":1}' }),
  )
  await kit.write(...pushes)
  const later = await find()
  assert.deepEqual([pathsOf(later), later.examined, later.complete], [['new'], 500, false])
  assert.ok((await find(0)).examined < 500)
  await removePlatform(kit, school)
  assert.deepEqual(await find(), { paths: [], isWhole: true, examined: 0, complete: true })
})
