import assert from 'node:assert/strict'
import { RECORD_SORTS, type RecordSort } from '@recordhub/protocol'
import type { RecordQuery, RecordRow } from '../../../src/storage/port/record-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { fc } from '../../helpers/random/fast-check.ts'
import { createTest, test } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  listPage,
  listRecords,
  pushWrite,
  readPages,
  recordQuery,
} from '../../helpers/storage/fixtures.ts'
import {
  createTwoPlatforms,
  registerModules,
  removePlatform,
  runRemovals,
} from '../../helpers/storage/removals.ts'
import { listInPages as readInPages } from '../../helpers/storage/search.ts'
import { isDeep, rounds } from '../../helpers/time/tier.ts'

test('an unknown record is null', async ({ storage }) => {
  assert.equal(await storage.records.readRecord(1), null)
  assert.equal(await storage.records.readRecord(9_007_199_254_740_991), null)
})

test('a listed record equals the record read by its id', async (kit) => {
  const school = await kit.register()
  await kit.write(
    pushWrite(school, { data: '{"a":1.10}' }),
    pushWrite(school, { reference: 'r-2', source: 'PATCH' }),
  )
  for (const row of await kit.records()) {
    assert.deepEqual(row, await kit.record(row.record_id))
  }
})

const testWithThreads = createTest({ withThreads: true })

testWithThreads('a thread reads the lists that need more than an index look-up', async (kit) => {
  const isReading = async () =>
    (await kit.storage.metricFigures.readFigures()).threads.find(({ thread }) => thread === 'read')
      ?.is_running
  const school = await kit.register()
  await kit.write(pushWrite(school, { data: '{"note":"Café"}' }))
  await kit.write(pushWrite(school, { reference: 'r-2' }))
  assert.equal((await kit.records()).length, 2)
  assert.equal(await isReading(), false)
  const condition = { column: 'data.note', test: 'contains', value: 'cafe' } as const
  const [found, ...others] = await kit.records({ conditions: [condition] })
  assert.deepEqual([found?.data, others], ['{"note":"Café"}', []])
  assert.equal(await isReading(), true)
})

test('text is sorted by code point, without a locale or case folding', async (kit) => {
  const school = await kit.register()
  const names = ['b', 'a', 'B', 'é', 'e\u0301', 'z', '\uffee', '😀', 'a b', 'a-b', 'ab', '10', '9']
  const pushes = names.map((name) => pushWrite(school, { reference: name, full_name: name }))
  await kit.write(...pushes)
  const expected = names.toSorted(byBytes)
  for (const sort of ['full_name', 'reference_number'] as const) {
    const up = await kit.records({ sort })
    assert.deepEqual(
      up.map((row) => row[sort]),
      expected,
    )
    const down = await kit.records({ sort, descending: true })
    assert.deepEqual(down, up.toReversed())
  }
})

test('created_at sorts by creation and updated_at by last change, even within one millisecond', async (kit) => {
  const school = await kit.register()
  const references = ['one', 'two', 'three']
  await kit.write(...references.map((reference) => pushWrite(school, { reference })))
  await kit.write(
    pushWrite(school, { reference: 'two', full_name: 'Bob' }),
    pushWrite(school, { reference: 'one', full_name: 'Bob' }),
  )
  const listed = async (sort: RecordSort) =>
    (await kit.records({ sort })).map((row) => row.reference_number)
  assert.deepEqual(await listed('created_at'), ['one', 'two', 'three'])
  assert.deepEqual(await listed('updated_at'), ['three', 'two', 'one'])
})

test('records can be filtered by platform, module and reference, or by several of them', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const clinic = await kit.register({ name: 'clinic', modules: ['staff'] })
  const staff = { record_type: 'staff' }
  await kit.write(
    pushWrite(school),
    pushWrite(school, { reference: 'r-2' }),
    pushWrite(school, staff),
    pushWrite(clinic, staff),
  )
  const listed = async (query: Partial<RecordQuery>) =>
    (await kit.records(query)).map(
      (row) => `${row.platform_name} ${row.record_type} ${row.reference_number}`,
    )
  const [a, b, c, d] = [
    'school students r-1',
    'school students r-2',
    'school staff r-1',
    'clinic staff r-1',
  ]
  assert.deepEqual(await listed({}), [a, b, c, d])
  assert.deepEqual(await listed({ platform: 'school' }), [a, b, c])
  assert.deepEqual(await listed({ record_type: 'staff' }), [c, d])
  assert.deepEqual(await listed({ reference_number: 'r-1' }), [a, c, d])
  assert.deepEqual(await listed({ platform: 'school', record_type: 'students' }), [a, b])
  assert.deepEqual(await listed({ record_type: 'students', reference_number: 'r-2' }), [b])
  const all = { platform: 'clinic', record_type: 'staff', reference_number: 'r-1' }
  assert.deepEqual(await listed(all), [d])
})

test('unknown names return an empty page', async (kit) => {
  const school = await kit.register({ offered: ['staff'] })
  await kit.register({ name: 'empty', modules: [] })
  await school.post()
  for (const query of [
    { platform: 'nowhere' },
    { platform: 'School' },
    { platform: 'empty' },
    { record_type: 'nothing' },
    { record_type: 'staff' },
    { reference_number: 'r-9' },
    { platform: 'empty', record_type: 'students' },
    { platform: 'school', record_type: 'nothing' },
  ]) {
    assert.deepEqual(await kit.records(query), [], JSON.stringify(query))
  }
})

test('a page of large records is shorter, and the pages list every record', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  for (let n = 0; n < 16; n++) {
    const record_type = n % 2 === 0 ? 'students' : 'staff'
    const data = `{"k":"${n % 5}","x":"${'x'.repeat(900_000)}"}`
    await school.post({ reference: `r-${n}`, record_type, data })
  }
  const conditions = [{ column: 'data.k' as const, test: 'is' as const, value: '3' }]
  for (const query of [
    { sort: 'record_id' as const },
    { sort: 'full_name' as const, platform: 'school' },
    { sort: 'data.k' as const },
    { sort: 'updated_at' as const, reference_number: 'r-1' },
    { sort: 'data.k' as const, reference_number: 'r-1' },
  ]) {
    const whole = query.reference_number === undefined ? 16 : 1
    const page = await listPage(kit.storage, { ...query, limit: 500 })
    assert.ok(page.records.length < 12 && page.has_more === whole > 1, query.sort)
    assert.equal(page.stopped_at, null)
    for (const backwards of isDeep ? [false, true] : [false]) {
      const rows = await readInPages(kit.storage, query, 500, backwards)
      const ids = new Set(rows.map((row) => row.record_id))
      assert.deepEqual([rows.length, ids.size], [whole, whole])
    }
  }
  const few = await listPage(kit.storage, { conditions, limit: 500 })
  assert.equal(few.records.length, 3)
})

test('pages of any size list every record exactly once, in every sort and direction', async (kit) => {
  let run = 0
  const rows = fc.array(
    fc.record({
      name: fc.constantFrom('', 'Ann', 'ann', 'Bob', '😀', '\uffee'),
      record_type: fc.constantFrom('students', 'staff'),
      isUpdated: fc.boolean(),
    }),
    { maxLength: 20 },
  )
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (records, limit) => {
      run += 1
      const name = `platform-${run}`
      const platform = await kit.register({
        name,
        modules: ['students', 'staff'],
      })
      const pushes = records.map(({ name, record_type }, index) =>
        pushWrite(platform, { record_type, full_name: name, reference: `r-${index % 13}` }),
      )
      const updates = records.flatMap(({ record_type, isUpdated }, index) =>
        isUpdated
          ? [
              pushWrite(platform, {
                record_type,
                reference: `r-${index % 13}`,
                source: 'PATCH',
                data: `{"a":${index}}`,
              }),
            ]
          : [],
      )
      await kit.write(...pushes, ...updates.toReversed())
      for (const sort of RECORD_SORTS) {
        for (const descending of [false, true]) {
          const query = { platform: name, sort, descending }
          const whole = await kit.records(query)
          assert.deepEqual(whole, whole.toSorted(createComparison(sort, descending)))
          assert.deepEqual(await listInPages(kit.storage, query, limit), whole)
        }
      }
    }),
    { numRuns: rounds(2, 50) },
  )
})

function listInPages(
  storage: Storage,
  query: Partial<RecordQuery> & { sort: RecordSort },
  limit: number,
): Promise<RecordRow[]> {
  return readPages<RecordRow>(limit, (last) => {
    const after = last ? { value: sortValueOf(last, query.sort), record_id: last.record_id } : null
    return listRecords(storage, { ...query, limit, after })
  })
}

function sortValueOf(row: RecordRow, sort: RecordSort): string | number {
  if (sort === 'updated_at') return row.change_seq
  return sort === 'created_at' ? row.record_id : row[sort]
}

function createComparison(sort: RecordSort, descending: boolean) {
  return (one: RecordRow, other: RecordRow): number => {
    const order =
      compare(sortValueOf(one, sort), sortValueOf(other, sort)) || one.record_id - other.record_id
    return descending ? -order : order
  }
}

function compare(one: string | number, other: string | number): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : byBytes(String(one), String(other))
}

/** UTF-8 sorts by code point. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

test('a scope holds until something in it is removed', async (kit) => {
  const { storage } = kit
  const { school, clinic } = await createTwoPlatforms(kit)
  const scopeOf = async (changes: Partial<RecordQuery>) => {
    const query = recordQuery({ ...changes, limit: 1 })
    return { ...query, scope: await storage.records.readScope(query) }
  }
  const [review] = await storage.missing.listReviews({ state: null, limit: 1, before: null })
  assert.ok(review)
  const lists = {
    all: await scopeOf({}),
    clinic: await scopeOf({ platform: 'clinic' }),
    students: await scopeOf({ record_type: 'students', sort: 'data.a' }),
    staff: await scopeOf({ platform: 'school', record_type: 'staff' }),
    review: await scopeOf({ missing_review: review.id }),
  }
  const listChanged = async () => {
    const pages = Object.entries(lists).map(async ([name, query]) => {
      const { outcome } = await storage.records.listRecords(query)
      return outcome === 'changed' ? [name] : []
    })
    return (await Promise.all(pages)).flat()
  }
  assert.deepEqual(await listChanged(), [])
  await kit.register({ name: 'new' })
  assert.deepEqual(await listChanged(), [])
  await registerModules(kit, school, ['staff'])
  const module = { platform_id: school.platform_id, record_type: 'students' }
  await storage.removals.removeModuleRecords({ ...module, requested_by: 'ann' }, changeLog())
  assert.deepEqual(await listChanged(), ['all', 'students', 'review'])
  await removePlatform(kit, school)
  await runRemovals(kit)
  assert.deepEqual(await listChanged(), ['all', 'students', 'staff', 'review'])
  const { modules, all } = await storage.records.readNamedScope(await scopeOf({}))
  assert.equal(all, true)
  assert.deepEqual(
    modules.map((one) => [one.platform_id, one.record_type, one.fields[0]?.key]).slice(0, 1),
    [[clinic.platform_id, 'students', 'a']],
  )
})
